import RTCWire
import Testing

@testable import RTCCore

/// The payload types of Opus and of the redundancy around it, where all others are drawn at random.
struct RedundancyNumberTests {
    private func agent(seed: UInt64, codecs: [CodecCapability]) throws -> Negotiator {
        var configuration = NegotiatorConfiguration(
            credentials: ICECredentials(ufrag: "agnt", pwd: "agentagentagentagentag"),
            fingerprint: try NegotiationFixtures.fingerprint(0xA1))
        configuration.codecs = codecs
        configuration.numbering = .random(seed: seed)
        return Negotiator(configuration: configuration)
    }

    private func numbers(_ section: SDPMedia) -> [String: Int] {
        Dictionary(section.rtpmaps.map { ($0.name, Int($0.payloadType)) }) { first, _ in first }
    }

    @Test func whatTravelsInsideHasTheUsualNumbers() throws {
        var videoNumbers: Set<Int> = []
        for seed in UInt64(1)...40 {
            var agent = try agent(seed: seed, codecs: [.vp8, .opus, .red])
            agent.addLine(kind: .video, direction: .recvonly)
            agent.addLine(kind: .audio, direction: .recvonly)
            let offer = try agent.createOffer()
            let audio = numbers(offer.media[1])
            #expect(audio["opus"] == 111 && audio["red"] == 63)
            #expect(offer.description.contains("a=fmtp:63 111/111\r\n"))
            let video = numbers(offer.media[0])
            let all = [video["VP8"], video["rtx"], 111, 63].compactMap(\.self)
            #expect(Set(all).count == 4, "one meaning each")
            videoNumbers.insert(video["VP8"] ?? 0)
        }
        #expect(videoNumbers.count > 20, "the others are drawn")
    }

    @Test func withoutRedundancyAllAreDrawn() throws {
        let drawn = try (UInt64(1)...20).map { seed in
            var agent = try agent(seed: seed, codecs: [.opus, .vp8])
            agent.addLine(kind: .audio, direction: .recvonly)
            return numbers(try agent.createOffer().media[0])["opus"] ?? 0
        }
        #expect(Set(drawn).count > 10)
    }

    @Test func numbersOfTheOtherSideComeFirst() {
        var table = NumberTable(numbering: .random(seed: 3), codecs: [.opus, .red])
        table.learn(.init(primary: 111, rtx: nil), of: 5)
        let opus = try? table.payloadTypes(of: 0, .opus)
        #expect(opus != nil && opus?.primary != 111, "111 means something else here")
    }

    /// What lies inside has `nack` in the descriptions, what is around it has none: the packets are of one stream.
    @Test func packetsWithCopiesAreAskedForAgain() throws {
        var agent = try agent(seed: 1, codecs: [.opus, .red])
        agent.addLine(kind: .audio, direction: .recvonly)
        var server = try NegotiationFixtures.server(codecs: [.opus, .red])
        _ = try server.applyOffer(NegotiationFixtures.sent(agent.createOffer()))
        server.setSend(0, NegotiationFixtures.audioSend)
        _ = try agent.applyAnswer(NegotiationFixtures.sent(server.createAnswer()))
        func isRepeated(_ map: ReceiveMap) -> [UInt8: Bool] {
            Dictionary(map.lines.flatMap(\.codecs).map { ($0.payloadType, $0.nack) }) { first, _ in first }
        }
        #expect(isRepeated(ReceiveMap(agent.lines)) == [111: true, 63: true])
        #expect(isRepeated(ReceiveMap(agent.lines, repeatsCopies: false)) == [111: true, 63: false])
    }
}
