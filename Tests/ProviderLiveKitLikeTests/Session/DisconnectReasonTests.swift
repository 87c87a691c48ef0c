import CallBridge
import LiveKitProtocol
import Testing

@testable import ProviderLiveKitLike

/// LiveKit's seventeen reasons in the words of the call model.
@Suite struct DisconnectReasonTests {
    private static let table: [(Livekit_DisconnectReason, CallEndReason, ParticipantLeftReason)] = [
        (.unknownReason, .unknown, .unknown),
        (.clientInitiated, .lastMandatoryParticipantLeft, .hangUp),
        (.duplicateIdentity, .unknown, .unknown),
        (.serverShutdown, .systemShutdown, .systemAbort),
        (.participantRemoved, .unknown, .removed),
        (.roomDeleted, .conversationEnded, .callEnded),
        (.stateMismatch, .systemShutdown, .systemAbort),
        (.joinFailure, .systemShutdown, .systemAbort),
        (.migration, .systemShutdown, .systemAbort),
        (.signalClose, .systemShutdown, .systemAbort),
        (.roomClosed, .conversationEnded, .callEnded),
        (.userUnavailable, .declinedBecauseUnavailable, .missedBecauseTimeout),
        (.userRejected, .declined, .unknown),
        (.sipTrunkFailure, .systemShutdown, .dialInEnded),
        (.connectionTimeout, .systemShutdown, .systemAbort),
        (.mediaFailure, .systemShutdown, .systemAbort),
        (.agentError, .systemShutdown, .systemAbort),
        (.UNRECOGNIZED(99), .unknown, .unknown),
    ]

    @Test func everyReasonIsMapped() {
        for (reason, end, left) in Self.table {
            #expect(CallEndReason(reason) == end, "\(reason)")
            #expect(ParticipantLeftReason(reason) == left, "\(reason)")
            #expect(!reason.explanation.isEmpty)
        }
        let known = Set(Self.table.map(\.0.rawValue))
        #expect(Set(Livekit_DisconnectReason.allCases.map(\.rawValue)).isSubset(of: known), "none is left out")
        #expect(Set(Self.table.map(\.0.explanation)).count == Self.table.count, "each in words of its own")
    }
}
