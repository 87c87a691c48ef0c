import CallBridge
import OpenTokClient
import OpenTokSignalling

/// The numbers of client errors in the words of the bridge.
struct ClientErrorWords: Hashable {
    var fault: CallError.Fault
    var code: CallError.Code

    static func of(_ code: ClientErrorCode) -> ClientErrorWords {
        switch code {
        case .authorizationFailure, .connectionRejected, .blockedCountry, .connectionLimitExceeded,
            .peerToPeerParticipantLimit, .streamLimitExceeded, .unableToPublish, .unableToSubscribe,
            .unableToForceDisconnect, .unableToForceUnpublish, .unableToForceMute, .unableToSignal:
            ClientErrorWords(fault: .provider, code: .providerRefused)
        case .invalidSession: ClientErrorWords(fault: .configuration, code: .providerRefused)
        case .connectionFailed, .connectionTimedOut, .connectTimedOut, .connectionRefused, .noMessagingServer,
            .peerToPeerFailed, .subscriberTimedOut, .webRTCError:
            ClientErrorWords(fault: .network, code: .unreachable)
        case .connectionDropped: ClientErrorWords(fault: .network, code: .providerLost)
        case .notConnected, .invalidParameter, .illegalState, .subscriberNotFound, .publisherNotFound,
            .signalDataTooLong, .invalidSignalType, .streamNotFound:
            ClientErrorWords(fault: .caller, code: .invalidArgument)
        case .apiResponseFailure, .sessionStateFailed, .internalError, .unexpectedServerResponse:
            ClientErrorWords(fault: .provider, code: .protocolViolation)
        }
    }
}

extension CallError {
    init(_ words: ClientErrorWords, _ message: String) { self.init(words.fault, words.code, message) }

    init(_ error: ClientError) { self.init(ClientErrorWords.of(error.code), error.description) }
}
