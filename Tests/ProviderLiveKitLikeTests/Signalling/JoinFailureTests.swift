import CallBridge
import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

/// What a refused join is said to be.
@Suite struct JoinFailureTests {
    private static let token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZGEiLCJleHAiOjF9.c2lnbmF0dXJlLWluLWJhc2U2NA"

    private static func message(_ status: Int, _ body: String) throws -> String {
        JoinFailure.refused(try SignalTarget(serverURL: "ws://h:1"), status: status, body: body, token: token).error
            .message
    }

    @Test(arguments: [
        (401, "invalid token", "check the token"), (404, "requested room does not exist", "does the room exist"),
        (429, "slow down", "too many requests"), (503, "node has exceeded its configured limit", "the server is full"),
        (500, "room has exceeded its max participants", "the room is full"),
        (500, "database gone", "the fault is the server's"),
        (400, "no room name", "check the URL"),
    ]) func aRefusalNamesItsRemedy(status: Int, body: String, remedy: String) throws {
        let text = try Self.message(status, body)
        #expect(text.contains("HTTP \(status)") && text.contains(body) && text.contains(remedy), "\(text)")
    }

    @Test func theServersWordsHoldNoTokenAndNoControls() throws {
        let text = try Self.message(401, " \nno \(Self.token)\u{1b}[1m\n\(Self.token.split(separator: ".")[1])")
        #expect(text.contains("no [secret]\\u{1b}[1m\\n[secret]"), "\(text)")
        #expect(try Self.message(401, "").contains("(HTTP 401); check"))
    }

    @Test func whoIsSentAwayBeforeBeingInIsToldThatTheRoomIsFull() {
        #expect(Livekit_DisconnectReason.joinFailure.refusal.contains("the room or the server is full"))
        #expect(Livekit_DisconnectReason.serverShutdown.refusal == Livekit_DisconnectReason.serverShutdown.explanation)
    }

    @Test(arguments: Livekit_DisconnectReason.allCases) func onlyWhoIsPutOutIsExcluded(reason: Livekit_DisconnectReason)
    {
        let expected: [Livekit_DisconnectReason: CallExclusion] = [
            .participantRemoved: .removed, .duplicateIdentity: .duplicateIdentity,
        ]
        #expect(CallExclusion(reason) == expected[reason])
    }
}
