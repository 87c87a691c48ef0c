import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// Streams told apart by rid alone, as a simulcast's are.
@Suite struct PeerSimulcastTests {
    @Test func everyLayersRepetitionsFindTheirLayer() throws {
        let conditions = NetworkConditions(delay: .milliseconds(20), loss: 0.05)
        let call = try PeerCall(conditions, seed: 8)
        call.extensions = RTPExtensionMap([(1, .audioLevel), (3, .mid), (5, .rid), (6, .repairedRid)])
        try call.connect(announced: false)
        let rids = ["f", "h", "q"]
        for (index, rid) in rids.enumerated() {
            let base = UInt32(5000 + 10 * index)
            call.alice.node.peer.addSendStream(
                SendStreamConfiguration(
                    ssrc: base, rtxSSRC: base + 1, payloadType: 96, rtxPayloadType: 97, clockRate: 90_000, kind: .video,
                    mid: ShortToken("1"), rid: ShortToken(rid), extensionMap: call.extensions))
        }
        let end = call.simulation.now + .seconds(10)
        var number: UInt64 = 0
        call.simulation.schedule(every: .milliseconds(10), from: call.simulation.now) {
            for index in rids.indices {
                var payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300)
                payload.withUnsafeMutableBytes { $0.storeBytes(of: number, as: UInt64.self) }
                call.pair.drive(call.alice.node) { peer, now, outbox in
                    payload.withUnsafeBytes { bytes in
                        _ = peer.send(
                            ssrc: UInt32(5000 + 10 * index), marker: true,
                            timestamp: UInt32(truncatingIfNeeded: number &* 900), payload: bytes, now: now,
                            into: outbox)
                    }
                }
            }
            number += 1
            return call.simulation.now < end
        }
        call.simulation.run(until: end + .seconds(2))
        for index in rids.indices {
            let statistics = try #require(call.bob.received(UInt32(5000 + 10 * index)))
            #expect(statistics.recovered > 20)
            #expect(statistics.givenUp == 0)
        }
        let layers = call.bob.video.count
        #expect(layers >= 3 * Int(number) - 6)
        #expect(call.bob.corrupt == 0)
        #expect(call.bob.node.peer.statistics.orphanRetransmissions == 0)
    }
}
