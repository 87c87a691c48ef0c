import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// Estimates from one peer to the other: who says send times and takes estimates is told; who numbers its packets gets feedback.
@Suite struct PeerReceiverEstimateTests {
    private func call(
        _ kinds: [RTPExtensionKind], remb: Bool, transportCC: Bool = false, forwards: Bool = false
    ) throws -> PeerCall {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20)), seed: 5) { configuration, isAlice in
            configuration.forwards = forwards && isAlice
        }
        call.extensions = RTPExtensionMap(kinds.enumerated().map { (UInt8($0.offset + 1), $0.element) })
        call.negotiate()
        for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            side.node.peer.setReceiveMap(
                ReceiveMap(lines: [
                    .init(
                        index: 1, kind: .video, mid: ShortToken("1"),
                        codecs: [.init(payloadType: 96, clockRate: 90_000, transportCC: transportCC, remb: remb)],
                        extensionMap: call.extensions, sources: [.init(ssrc: other.videoSSRC)])
                ]))
        }
        call.pair.connect()
        try #require(call.pair.runUntilConnected())
        return call
    }

    private func estimates(_ call: PeerCall) -> [(bitrate: Int, ssrcs: [UInt32])] {
        call.alice.node.events.compactMap { event in
            if case .receiverEstimate(let bitrate, let ssrcs) = event { (bitrate, ssrcs) } else { nil }
        }
    }

    @Test func whoTakesEstimatesIsToldWhatComes() throws {
        let call = try call([.mid, .absSendTime], remb: true)
        call.talk(for: .seconds(5), both: false)
        let told = estimates(call)
        #expect(told.count > 15 && told.count == call.bob.node.peer.statistics.receiverEstimatesSent)
        // Audio says its send times here, too.
        #expect(told.allSatisfy { $0.ssrcs.contains(call.alice.videoSSRC) && $0.bitrate > 50_000 })
        #expect(call.alice.node.peer.statistics.receiverEstimatesSent == 0, "who gets nothing estimates nothing")
    }

    /// Who forwards makes of feedback what the other side would have made of send times.
    @Test func whoForwardsEstimatesInTheOthersPlace() throws {
        let own = try call([.mid, .transportSequenceNumber], remb: false, transportCC: true, forwards: true)
        own.talk(for: .seconds(5), both: false)
        let told = try call([.mid, .absSendTime], remb: true)
        told.talk(for: .seconds(5), both: false)
        #expect(estimates(own).count > 15 && estimates(own).allSatisfy(\.ssrcs.isEmpty))
        #expect(own.bob.node.peer.statistics.receiverEstimatesSent == 0)
        let (here, there) = (try #require(estimates(own).last).bitrate, try #require(estimates(told).last).bitrate)
        #expect((0.85...1.15).contains(Double(here) / Double(there)), "\(here), \(there)")
        // What is for senders that encode isn't said.
        let others = own.alice.node.events.count { event in
            if case .packetResults = event { true } else if case .targetBitrate = event { true } else { false }
        }
        #expect(others == 0)
    }

    @Test(arguments: [
        ([RTPExtensionKind.mid, .absSendTime], false, false), ([.mid], true, false),
        ([.mid, .absSendTime, .transportSequenceNumber], true, true),
    ])
    func othersAreNot(_ kinds: [RTPExtensionKind], remb: Bool, transportCC: Bool) throws {
        let call = try call(kinds, remb: remb, transportCC: transportCC)
        call.talk(for: .seconds(3), both: false)
        #expect(estimates(call).isEmpty && call.bob.node.peer.statistics.receiverEstimatesSent == 0)
        #expect((call.bob.node.peer.statistics.transportFeedbackSent > 0) == transportCC)
    }
}
