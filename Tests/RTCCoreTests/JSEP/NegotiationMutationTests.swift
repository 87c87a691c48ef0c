import Testing

@testable import RTCCore
@testable import RTCWire

@Suite struct NegotiationMutationTests {
    /// Damaged offers and answers are taken or refused, and every answer that comes out is itself a description.
    @Test func damagedDescriptionsNeverTrap() throws {
        let names = [
            "lk-python-v0-07-offer.python-livekit1.2.0-libwebrtc.sdp", "vp8-rtx-offer.chromium156.sdp",
            "vp8-simulcast-offer.chromium156.sdp", "datachannel-offer.chromium156.sdp", "aiortc1.16.0-offer.sdp",
        ]
        let offers = try names.map { Array(try NegotiationFixtures.recorded($0).description.utf8) }
        var generator = SeededGenerator(state: 0xBADC0DE)
        let fresh = try NegotiationFixtures.server()
        var agent = try NegotiationFixtures.agent(seed: 3)
        agent.addLine(kind: .audio, direction: .recvonly)
        agent.addLine(kind: .video, direction: .sendonly, send: NegotiationFixtures.videoSend)
        let ours = try agent.createOffer()
        var partner = fresh
        try partner.applyOffer(ours)
        let answer = Array(try partner.createAnswer().description.utf8)
        var taken = 0
        for round in 0..<600 {
            var server = partner.state == .stable && round % 5 == 0 ? partner : fresh
            if let offer = try? SDPSession(parsing: damage(offers[round % offers.count], &generator)),
                (try? server.applyOffer(offer)) != nil, let text = try? server.createAnswer()
            {
                taken += 1
                #expect(try SDPSession(parsing: text.description) == text)
                _ = ReceiveMap(server.lines)
            }
            var offerer = agent
            if let damaged = try? SDPSession(parsing: damage(answer, &generator)) {
                if (try? offerer.applyAnswer(damaged)) != nil { _ = offerer.lines.map { $0.sendStream() } }
            }
        }
        #expect(taken > 100)
    }

    private func damage(_ original: [UInt8], _ random: inout some RandomNumberGenerator) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...3, using: &random) where bytes.count > 50 {
            let at = Int.random(in: 40..<bytes.count, using: &random)
            let end = min(bytes.count, at + Int.random(in: 1...60, using: &random))
            switch Int.random(in: 0..<4, using: &random) {
            case 0: bytes[at] = UInt8.random(in: 0x20...0x7E, using: &random)
            case 1: bytes.removeSubrange(at..<end)
            case 2: bytes.insert(contentsOf: bytes[at..<end], at: Int.random(in: 40..<bytes.count, using: &random))
            default: bytes.replaceSubrange(at..<end, with: Array("65535".utf8))
            }
        }
        return bytes
    }
}

private struct SeededGenerator: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }
}
