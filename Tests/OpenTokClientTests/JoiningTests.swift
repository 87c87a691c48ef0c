import OpenTokSignalling
import RTCWire
import Testing

@testable import OpenTokClient

@Suite struct JoiningTests {
    @Test func whoJoinsFindsWhatIsThere() throws {
        var stage = try ClientStage(automatic: false)
        stage.state.connections = [.other("a"), .other("b")]
        stage.state.streams = [.both("s", of: "b")]
        stage.state.archives = [RaptorArchive(id: "x", status: .started)]
        stage.start()
        #expect(stage.takeEvents() == ["connected me", "+c a", "+c b", "+s s", "archive started"])
        #expect(stage.machine.hasJoined)
    }

    @Test func aConnectionIsKnownBeforeItsStreamsAndSignals() throws {
        var stage = try ClientStage.joined(automatic: false)
        _ = stage.takeEvents()
        stage.tell(.streamCreated(.both("s", of: "a")))
        stage.tell(.signal(id: "1", SignalContent(data: "early")), from: "a")
        #expect(stage.takeEvents().isEmpty)
        stage.tell(.connectionCreated(.other("a")))
        #expect(stage.takeEvents() == ["+c a", "+s s", "signal early of a"])
        stage.tell(.connectionCreated(.other("a")))
        stage.tell(.streamCreated(.both("s", of: "a")))
        #expect(stage.takeEvents().isEmpty, "each comes once")
    }

    @Test func whatIsHeldBackForSomebodyWhoNeverComesIsForgotten() throws {
        var stage = try ClientStage.joined(automatic: false)
        _ = stage.takeEvents()
        stage.tell(.streamCreated(.both("s", of: "a")))
        stage.tell(.streamDeleted(id: "s", .mediaStopped))
        for index in 0..<300 { stage.tell(.signal(id: "\(index)", SignalContent(data: "\(index)")), from: "a") }
        stage.tell(.connectionCreated(.other("a")))
        let events = stage.takeEvents()
        #expect(events.first == "+c a" && events.count == 1 + EarlyEvents.largestCount)
        #expect(events.last == "signal 299 of a")
    }

    @Test func whoGoesTakesEveryStreamAlongExactlyOnce() throws {
        var stage = try ClientStage.joined(automatic: false)
        stage.tell(.connectionCreated(.other("a")))
        for id in ["s", "t"] { stage.tell(.streamCreated(.both(id, of: "a"))) }
        _ = stage.takeEvents()
        stage.tell(.streamDeleted(id: "t", .forceUnpublished))
        stage.tell(.connectionDeleted(id: "a", .networkDisconnected))
        for id in ["s", "t"] { stage.tell(.streamDeleted(id: id, .networkDisconnected)) }
        stage.tell(.connectionDeleted(id: "a", .networkDisconnected))
        #expect(
            stage.takeEvents() == ["-s t forceUnpublished", "-s s networkDisconnected", "-c a networkDisconnected"])
    }

    @Test(arguments: [
        (OpenTokServerConnection.Refusal.invalid, MediaMode.routed, ClientErrorCode.invalidSession),
        (.forbidden, .routed, .authorizationFailure), (.tooMany, .routed, .connectionLimitExceeded),
        (.conflict, .relayed, .peerToPeerParticipantLimit), (.notFound, .routed, .connectionRejected),
    ])
    func whoIsRefusedLearnsWhy(
        _ refusal: OpenTokServerConnection.Refusal, _ mode: MediaMode, _ code: ClientErrorCode
    ) throws {
        var stage = try ClientStage(mode)
        stage.admission = .refused(refusal)
        stage.start()
        #expect(stage.takeEvents() == ["end refused \(code.rawValue)"])
        #expect(stage.machine.nextDeadline == nil)
        stage.command(.publish(.sound("s")), 7)
        #expect(stage.takeEvents() == ["failed 7 \(code.rawValue)"])
    }

    @Test func withoutAMessagingServerNobodyGetsIn() throws {
        var stage = try ClientStage()
        stage.isUp = false
        stage.start()
        #expect(stage.takeEvents() == ["end refused 1503"])
    }

    @Test func aServerThatSaysNothingIsNotWaitedForForever() throws {
        var machine = try ClientStage().machine
        var outputs: [ClientOutput] = []
        machine.start(.zero, into: &outputs)
        machine.handle(.opened(socket: 1), .zero, into: &outputs)
        var now = Instant.zero
        while let next = machine.nextDeadline, next <= .zero + .seconds(120) {
            now = max(now, next)
            machine.advance(to: now, into: &outputs)
        }
        #expect(machine.hasEnded)
        #expect(now <= .zero + .seconds(80))
    }

    @Test func whatHappensWhileTheStateIsReadIsNotLost() throws {
        var stage = try ClientStage(automatic: false)
        var outputs: [ClientOutput] = []
        var machine = stage.machine
        machine.start(.zero, into: &outputs)
        machine.handle(.opened(socket: 1), .zero, into: &outputs)
        func event(_ event: RaptorEvent, _ transaction: String) throws -> ClientInput {
            let message = event.message(project: "12345", session: stage.session.text)
            let frame = RumorFrame.message(
                to: "me", from: ClientStage.address, transaction: transaction, payload: message.payload)
            return .message(try frame.encoded(), socket: 1)
        }
        machine.handle(
            .message(try RumorFrame.status(200, transaction: "c1").encoded(), socket: 1), .zero, into: &outputs)
        machine.handle(try event(.connectionDeleted(id: "a", .clientDisconnected), "s1"), .zero, into: &outputs)
        machine.handle(try event(.connectionCreated(.other("b")), "s2"), .zero, into: &outputs)
        stage.state.connections = [.other("a"), .other("me")]
        let state = RumorFrame.status(200, transaction: "c2", payload: stage.state.payload)
        machine.handle(.message(try state.encoded(), socket: 1), .zero, into: &outputs)
        #expect(outputs.compactMap(\.summary) == ["connected me", "+c a", "-c a clientDisconnected", "+c b"])
    }
}
