import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

struct PeerFeedbackTests {
    /// A call whose video is numbered; with `isTold`, its receiver tells when it came.
    private func call(loss: Double = 0, isTold: Bool = true) throws -> PeerCall {
        var conditions = NetworkConditions(delay: .milliseconds(30))
        conditions.loss = loss
        let call = try PeerCall(conditions, seed: 11)
        call.negotiate()
        if isTold {
            for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
                side.node.peer.setReceiveMap(
                    ReceiveMap(lines: [
                        .init(
                            index: 1, kind: .video, mid: ShortToken("1"),
                            codecs: [.init(payloadType: 96, clockRate: 90_000, transportCC: true)],
                            extensionMap: call.extensions, sources: [.init(ssrc: other.videoSSRC)])
                    ]))
            }
        }
        call.pair.connect()
        try #require(call.pair.runUntilConnected())
        return call
    }

    private func results(_ call: PeerCall) -> [PacketResult] {
        call.alice.node.events.flatMap { event -> [PacketResult] in
            if case .packetResults(let results) = event { results } else { [] }
        }
    }

    @Test func everyPacketsFateIsTold() throws {
        let call = try call()
        call.talk(for: .seconds(5), both: false)
        let results = results(call)
        // Audio is numbered too, here: 250 packets and 450 of video.
        #expect(results.count == Int(call.alice.audioSent + call.alice.videoSent))
        #expect(results.map(\.sequence) == Array(0..<Int64(results.count)))
        #expect(results.allSatisfy { $0.received != nil && $0.size > 80 })
        let first = try #require(results.first)
        for result in results {
            let arrival = try #require(result.received)
            let shift = (arrival - (first.received ?? .zero)) - (result.sent - first.sent)
            #expect(abs(shift.milliseconds) < 0.5)
        }
        #expect(call.bob.node.peer.statistics.transportFeedbackSent > 40)
    }

    @Test func lossesAreTold() throws {
        let call = try call(loss: 0.1)
        call.talk(for: .seconds(10), both: false)
        let results = results(call)
        let lost = results.filter { $0.received == nil }.count
        #expect(Double(lost) > 0.06 * Double(results.count) && Double(lost) < 0.14 * Double(results.count))
    }

    @Test func whoHasNotAskedIsNotTold() throws {
        let call = try call(isTold: false)
        call.talk(for: .seconds(2))
        #expect(results(call).isEmpty && call.bob.node.peer.statistics.transportFeedbackSent == 0)
    }
}
