import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

@Suite struct PeerCallTests {
    @Test(arguments: [DTLSRole.client, .server], SRTPProfile.allCases)
    func everythingArrivesOnAPerfectNetwork(_ role: DTLSRole, _ profile: SRTPProfile) throws {
        let call = try PeerCall(aliceRole: role) { configuration, _ in configuration.srtpProfiles = [profile] }
        try call.connect()
        call.talk(for: .seconds(10))
        for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            #expect(side.audioSent == 501)
            #expect(call.audioIsWhole(from: side, to: other))
            #expect(call.videoIsWhole(from: side, to: other))
            #expect(other.corrupt == 0)
            #expect(other.retransmissions == 0)
            #expect(other.lines == [0, 1])
            #expect(other.video == other.video.sorted())
            #expect(side.node.events.contains { if case .connected(profile) = $0 { true } else { false } })
            let statistics = try #require(other.received(side.videoSSRC))
            #expect(statistics.lost == 0)
            #expect(statistics.nacksSent == 0)
            #expect(statistics.plisSent == 0)
            #expect(other.node.peer.statistics.unopenedDatagrams == 0)
        }
    }

    @Test(arguments: SRTPBackend.allCases, SRTPBackend.allCases)
    func everyPairOfBackends(_ alice: SRTPBackend, _ bob: SRTPBackend) throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10), loss: 0.02), seed: 5) {
            $0.srtpBackend = $1 ? alice : bob
        }
        try call.connect()
        call.talk(for: .seconds(5))
        #expect(call.videoIsWhole(from: call.alice, to: call.bob))
        #expect(call.videoIsWhole(from: call.bob, to: call.alice))
        #expect(call.alice.corrupt + call.bob.corrupt == 0)
    }

    /// Where the other side tells what has come, a tenth of a second is kept for repetitions instead of a whole one; nothing that is
    /// asked for is missing.
    @Test(arguments: [0, 0.03], [true, false]) func littleIsKeptWhereFeedbackComes(_ loss: Double, _ usesRTX: Bool)
        throws
    {
        var kept: [Bool: Int] = [:]
        for takesFeedback in [true, false] {
            let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: loss), seed: 3)
            call.takesTransportFeedback = takesFeedback
            call.usesRTX = usesRTX
            try call.connect()
            call.talk(for: .seconds(10))
            #expect(call.videoIsWhole(from: call.alice, to: call.bob))
            #expect(call.bob.received(call.alice.videoSSRC)?.givenUp == 0)
            let index = try #require(call.alice.node.peer.sending.index(ssrc: call.alice.videoSSRC))
            kept[takesFeedback] = call.alice.node.peer.sending.streams[index].keptBytes
        }
        let (with, without) = (try #require(kept[true]), try #require(kept[false]))
        #expect(without > 100_000 && with < (loss == 0 ? 32_000 : 64_000), "\(with) of \(without)")
    }

    @Test(arguments: 1...6 as ClosedRange<UInt64>)
    func everyLostVideoPacketIsRecovered(_ seed: UInt64) throws {
        let conditions = NetworkConditions(delay: .milliseconds(20), jitter: .milliseconds(40), loss: 0.05)
        let call = try PeerCall(conditions, seed: seed)
        try call.connect()
        call.talk(for: .seconds(20))
        for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            let statistics = try #require(other.received(side.videoSSRC))
            #expect(statistics.recovered > 0)
            #expect(statistics.plisSent == 0)
            #expect(statistics.givenUp == 0)
            // The very first and the very last packet leave no gap behind them.
            #expect(other.video.count >= Int(side.videoSent) - 2)
            #expect(Set(other.video).count == other.video.count)
            #expect(other.corrupt == 0)
            let sent = try #require(side.sent(side.videoSSRC))
            #expect(sent.retransmitted >= statistics.recovered)
            #expect(sent.retransmitted <= statistics.recovered * 3 / 2 + 10)
            #expect((0.02...0.09).contains(Double(sent.lost) / Double(sent.packets)))
        }
    }

    @Test func audioIsRecoveredByRepeatingTheVeryPacket() throws {
        let conditions = NetworkConditions(delay: .milliseconds(15), loss: 0.05)
        let call = try PeerCall(conditions, seed: 21)
        try call.connect()
        call.talk(for: .seconds(20), video: false)
        let sent = try #require(call.alice.sent(call.alice.audioSSRC))
        let received = try #require(call.bob.received(call.alice.audioSSRC))
        #expect(sent.retransmitted > 20)
        #expect(received.recovered > 20)
        #expect(call.bob.audio.count >= Int(call.alice.audioSent) - 2)
        #expect(call.bob.corrupt == 0)
    }

    @Test func videoWithoutRTXIsRecoveredToo() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(30), loss: 0.05), seed: 8)
        call.usesRTX = false
        try call.connect()
        call.talk(for: .seconds(10))
        #expect(call.bob.video.count >= Int(call.alice.videoSent) - 2)
        #expect(call.bob.corrupt == 0)
    }

    @Test func burstsReorderingAndDuplicatesLeaveVideoWhole() throws {
        var conditions = NetworkConditions(delay: .milliseconds(25), jitter: .milliseconds(10))
        conditions.bursts = .init(meanGood: .seconds(2), meanBad: .milliseconds(60), loss: 0.8)
        conditions.reordering = 0.03
        conditions.duplication = 0.03
        let call = try PeerCall(conditions, seed: 12)
        try call.connect()
        call.talk(for: .seconds(30))
        #expect(call.bob.video.count >= Int(call.alice.videoSent) - 2)
        #expect(Set(call.bob.video).count == call.bob.video.count)
        let statistics = try #require(call.bob.received(call.alice.videoSSRC))
        #expect(statistics.recovered > 10)
        #expect(call.bob.node.peer.srtpStatistics?.replays ?? 0 > 10)
    }

    @Test func streamsAreFoundByMidAlone() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: 0.05), seed: 3)
        try call.connect(announced: false)
        call.talk(for: .seconds(5))
        #expect(call.bob.lines == [0, 1])
        #expect(call.bob.video.count >= Int(call.alice.videoSent) - 2)
        #expect(call.bob.received(call.alice.videoSSRC)?.recovered ?? 0 > 0)
    }

    @Test func streamsAreFoundByPayloadTypeAlone() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: 0.05), seed: 4)
        call.extensions = RTPExtensionMap()
        try call.connect(announced: false)
        call.talk(for: .seconds(5))
        #expect(call.bob.lines == [0, 1])
        #expect(call.bob.video.count >= Int(call.alice.videoSent) - 2)
        #expect(call.bob.received(call.alice.videoSSRC)?.recovered ?? 0 > 0)
    }

    @Test func anHoursCallRunsInSeconds() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(20), loss: 0.001), seed: 2)
        try call.connect()
        call.talk(for: .seconds(3600), video: false, both: false)
        #expect(call.alice.audioSent == 180_001)
        // 180,001 packets go round the sequence numbers more than twice.
        #expect(call.bob.audio.count >= 180_000)
        #expect(call.bob.corrupt == 0)
        #expect(call.alice.node.peer.state == .connected)
        #expect(call.bob.node.peer.state == .connected)
    }

    @Test func noDatagramIsLargerThanAllowed() throws {
        let call = try PeerCall(NetworkConditions(delay: .milliseconds(10), loss: 0.05), seed: 6)
        var largest = 0
        call.simulation.onSend = { bytes, _, _ in largest = max(largest, bytes.count) }
        try call.connect()
        call.talk(for: .seconds(5))
        #expect(largest <= 1200)
        #expect(largest >= 1190)
        #expect(call.alice.node.peer.statistics.unsentPackets == 0)
    }
}
