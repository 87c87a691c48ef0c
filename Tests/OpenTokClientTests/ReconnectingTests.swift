import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

@Suite struct ReconnectingTests {
    @Test func aLossOfFiveSecondsLosesAndDoublesNothing() throws {
        var stage = try ClientStage.joined(automatic: false)
        stage.tell(.connectionCreated(.other("a")))
        _ = stage.takeEvents()
        stage.isUp = false
        stage.breakSocket()
        #expect(stage.takeEvents() == ["reconnecting"])
        for index in 1...3 { stage.command(.signal(SignalContent(data: "\(index)"), to: nil), CommandID(index)) }
        for index in 1...3 { stage.tell(.signal(id: "\(index)", SignalContent(data: "\(index)")), from: "a") }
        stage.run(.seconds(5))
        #expect(stage.takeEvents().isEmpty)
        #expect((9...11).contains(stage.attempts.count), "an attempt every half second: \(stage.attempts)")
        stage.isUp = true
        stage.run(.seconds(1))
        #expect(
            Set(stage.takeEvents())
                == ["reconnected", "done 1", "done 2", "done 3", "signal 1 of a", "signal 2 of a", "signal 3 of a"])
        let sent = stage.requests.compactMap { request -> String? in
            if case .signal(_, _, let content) = request { content.data } else { nil }
        }
        #expect(sent == ["1", "2", "3"])
    }

    @Test func anAnswerThatIsLostIsGivenAgainAndNothingDoneTwice() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        // The request arrives, and the answer to it does not.
        stage.answering = { _ in nil }
        stage.command(.signal(SignalContent(data: "x"), to: nil), 1)
        stage.breakSocket()
        stage.run(.seconds(1))
        #expect(stage.takeEvents() == ["reconnecting", "reconnected"])
        #expect(stage.requests.count == 1)
        stage.serve { $0.answer("c3", .done, into: &$1) }
        stage.run(.seconds(1))
        #expect(stage.takeEvents() == ["done 1"])
    }

    @Test func afterAMinuteTheSessionIsLost() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.isUp = false
        stage.breakSocket()
        stage.command(.signal(SignalContent(data: "x"), to: nil), 1)
        stage.run(.seconds(59))
        #expect(stage.takeEvents() == ["reconnecting"])
        stage.run(.seconds(2))
        #expect(stage.takeEvents() == ["failed 1 1022", "end lost"])
        #expect((110...121).contains(stage.attempts.count))
    }

    @Test func aSilentSocketIsALoss() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.isUp = false
        stage.run(.seconds(9))
        #expect(stage.takeEvents().isEmpty)
        stage.run(.seconds(2))
        #expect(stage.takeEvents() == ["reconnecting"])
        #expect(stage.lastClose == RumorChannel.silentCode)
        stage.isUp = true
        stage.run(.seconds(1))
        #expect(stage.takeEvents() == ["reconnected"])
    }

    @Test func withoutReconnectionTheFirstLossIsTheEnd() throws {
        var stage = try ClientStage.joined { $0.timing.reconnects = false }
        _ = stage.takeEvents()
        stage.breakSocket()
        #expect(stage.takeEvents() == ["end lost"])
    }

    @Test func timeWithoutTheTransportCountsForNobody() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.hasMedia = false
        stage.command(.publish(.both("s")), 1)
        stage.isUp = false
        stage.breakSocket()
        stage.run(.seconds(40))
        stage.isUp = true
        stage.run(.seconds(2))
        #expect(stage.takeEvents() == ["reconnecting", "reconnected"])
        stage.run(.seconds(21))
        #expect(stage.takeEvents() == ["failed 1 1500"])
    }

    @Test func whatOlderSocketsSayIsOld() throws {
        var stage = try ClientStage.joined()
        _ = stage.takeEvents()
        stage.breakSocket()
        stage.run(.seconds(1))
        #expect(stage.takeEvents() == ["reconnecting", "reconnected"])
        stage.handle(.closed(socket: 1, code: 1000))
        stage.handle(.message([1, 2, 3], socket: 1))
        #expect(stage.takeEvents().isEmpty)
    }
}
