import Foundation
import LoadResults
import Testing

@Suite struct ModelTests {
    @Test(arguments: [("1.0", 1, 0), ("1.12", 1, 12), ("23.4", 23, 4)])
    func versions(text: String, major: Int, minor: Int) throws {
        let version = try #require(SchemaVersion(text))
        #expect(version == SchemaVersion(major: major, minor: minor) && version.description == text)
    }

    @Test(arguments: ["", "1", "1.", ".1", "1.2.3", "-1.0", "1.-2", "a.b", "1.0 "])
    func noVersions(text: String) { #expect(SchemaVersion(text) == nil) }

    @Test func wordsOfALaterReleaseAreKeptApart() throws {
        func read<Value: Decodable>(_ type: Value.Type, _ word: String) throws -> Value {
            try JSONDecoder().decode([Value].self, from: Data("[\"\(word)\"]".utf8))[0]
        }
        #expect(try read(EndReason.self, "evaporated") == .other && read(EndReason.self, "left") == .left)
        #expect(try read(SaturationReason.self, "moon") == .other && read(SaturationReason.self, "loopLag") == .loopLag)
        #expect(throws: (any Error).self) { try read(RunState.self, "sleepy") }
        #expect(throws: (any Error).self) { try read(ParticipantRole.self, "ghost") }
    }

    @Test func countersAddUp() {
        var one = MediaCounters()
        one.outbound.packetsSent = 3
        one.outbound.bytesSent = 30
        one.outbound.retransmittedPacketsSent = 1
        one.outbound.framesSent = 2
        one.outbound.keyFramesSent = 1
        (one.outbound.nackCount, one.outbound.pliCount, one.outbound.firCount) = (4, 5, 6)
        one.inbound.packetsExpected = 10
        one.inbound.packetsReceived = 8
        one.inbound.packetsLost = 2
        one.inbound.retransmittedPacketsReceived = 1
        one.inbound.totalFreezesDuration = 0.5
        one.inbound.totalDuration = 2
        let sum = one + one
        #expect((sum.outbound.packetsSent, sum.outbound.bytesSent, sum.outbound.framesSent) == (6, 60, 4))
        #expect((sum.outbound.nackCount, sum.outbound.pliCount, sum.outbound.firCount) == (8, 10, 12))
        #expect((sum.inbound.packetsExpected, sum.inbound.packetsReceived, sum.inbound.packetsLost) == (20, 16, 4))
        #expect(sum.inbound.lossRatio == 0.2 && sum.inbound.freezeRatio == 0.25)
        #expect(MediaCounters().inbound.lossRatio == nil && MediaCounters().inbound.freezeRatio == nil)
    }

    @Test func countsOfHostileFilesDoNotTrap() {
        var one = MediaCounters()
        (one.inbound.packetsExpected, one.inbound.packetsLost) = (.max, .min)
        let sum = one + one
        #expect((sum.inbound.packetsExpected, sum.inbound.packetsLost) == (.max, .min))
        var data = DataCounters()
        data.messagesExpected = .max
        data.add(data)
        #expect(data.messagesExpected == .max && data.rpcCalls == 0)
    }

    @Test func messagesAndCallsAddUp() {
        var one = DataCounters()
        (one.messagesExpected, one.messagesReceived, one.messagesLost, one.messagesDuplicated) = (9, 7, 2, 1)
        (one.rpcCalls, one.rpcAnswers, one.rpcFailures) = (4, 2, 1)
        var sum = one
        sum.add(one)
        #expect(
            (sum.messagesExpected, sum.messagesReceived, sum.messagesLost, sum.messagesDuplicated) == (18, 14, 4, 2))
        #expect((sum.rpcCalls, sum.rpcAnswers, sum.rpcFailures) == (8, 4, 2))
    }

    @Test func lostMessagesAndFailedCallsAreAgainstARun() {
        var run = HandMade.run(1)
        var data = DataCounters()
        (data.messagesExpected, data.rpcCalls) = (100, 10)
        run.data = data
        run.judge()
        #expect(run.verdicts.ok)
        (data.messagesLost, data.rpcFailures) = (3, 2)
        run.data = data
        run.judge()
        #expect(
            run.verdicts.failures == [
                "3 of 100 messages did not come", "2 of 10 remote procedure calls failed",
            ])
        #expect(!run.verdicts.isWhole)
    }

    @Test func aRunIsTheSumOfItsSeconds() {
        let run = HandMade.run(7) { sample in
            sample.audio.inbound.packetsExpected = 50
            sample.video.inbound.packetsExpected = 60
        }
        #expect(run.audio.inbound.packetsExpected == 350 && run.video.inbound.packetsExpected == 420)
    }
}
