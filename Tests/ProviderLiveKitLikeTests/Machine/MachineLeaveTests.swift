import CallBridge
import LiveKitProtocol
import MediaCore
import Testing

@testable import ProviderLiveKitLike

/// Ends: ours, and each form of the server's.
@Suite struct MachineLeaveTests {
    private func session() -> MachineHarness {
        var session = MachineHarness()
        session.answerOffer()
        _ = session.takeLines()
        return session
    }

    @Test func weLeaveWithAGoodbye() {
        var session = session()
        session.take(.leave)
        #expect(session.takeLines() == ["send leave", "end lastMandatoryParticipantLeft"])
        #expect(session.sent("leave").last?.leave.reason == .clientInitiated)
        session.take(.leave)
        session.take(.socketClosed(session.socket))
        session.pass(seconds: 100)
        #expect(session.takeLines() == [], "nothing follows")
        let id = session.ask(.setSubscriptionPermissions(.everybody))
        let error = #expect(throws: CallError.self) { try session.answers[id]?.get() }
        #expect(error?.message == "the call has ended; join again")
    }

    @Test(
        arguments: [
            (Livekit_LeaveRequest.Action.resume, "resume PA_me rrSignalDisconnected"),
            (.reconnect, "join with first"), (.disconnect, "end conversationEnded"),
        ])
    func theServersLeaveSaysWhatFollows(action: Livekit_LeaveRequest.Action, line: String) {
        var session = session()
        session.say { $0.leave = .with { ($0.action, $0.reason) = (action, .roomDeleted) } }
        #expect(session.takeLines().last == line)
    }

    /// A server that knows no actions says only that coming back is welcome.
    @Test func anOldServerAsksUsBack() {
        var session = session()
        session.say { $0.leave.canReconnect = true }
        #expect(session.takeLines().last == "join with first")
    }

    @Test func whoIsRemovedIsExcluded() {
        var session = session()
        session.say { $0.leave.reason = .participantRemoved }
        #expect(session.takeLines() == ["report excluded", "end unknown"])
    }

    /// Regions that come with the goodbye are where the next attempt leads.
    @Test func theNextAttemptLeadsWhereTheServerSays() {
        var session = session()
        session.say {
            $0.leave.action = .reconnect
            $0.leave.regions.regions = [.with { $0.url = "wss://other.example" }]
        }
        #expect(session.attempts.last?.server.host == "other.example")
    }

    /// What an older socket still says: only that we are thrown out counts.
    @Test func lateWordsCountOnlyWhereTheyAreFinal() {
        for (reason, isOver) in [(Livekit_DisconnectReason.clientInitiated, false), (.roomDeleted, true)] {
            var session = session()
            let old = session.socket
            session.take(.socketClosed(old))
            session.take(.message(.with { $0.refreshToken = "late" }, socket: old))
            session.take(.message(.with { $0.leave.reason = reason }, socket: old))
            #expect(session.machine.hasEnded == isOver)
            #expect(session.machine.link.token == "first")
        }
    }

    /// Another room, the same connections: others, token, and our own id are new, and the bridge's id stays.
    @Test func aMoveKeepsTheConnections() {
        var session = session()
        session.say { $0.update.participants = [MachineSubscribingTests.ada] }
        session.say {
            $0.roomMoved.token = "moved"
            $0.roomMoved.participant.sid = "PA_there"
            $0.roomMoved.otherParticipants = [.with { $0.sid = "PA_bob" }]
        }
        #expect(
            session.takeLines() == [
                "report participantJoined", "report participantLeft", "report participantJoined", "report roomUpdated",
            ])
        #expect(session.machine.localParticipant.id == "PA_me")
        session.take(.socketClosed(session.socket))
        #expect(session.takeLines().last == "resume PA_there rrSignalDisconnected")
        #expect(session.attempts.last?.token == "moved")
    }
}
