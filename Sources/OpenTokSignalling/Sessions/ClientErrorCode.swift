/// The numbers that client SDKs give their applications, by the words of their documentation.
package enum ClientErrorCode: Int, Hashable, Sendable, CaseIterable {
    case authorizationFailure = 1004
    case invalidSession = 1005
    case connectionFailed = 1006
    case connectionRejected = 1007
    case connectionTimedOut = 1008
    case notConnected = 1010
    case invalidParameter = 1011
    case peerToPeerFailed = 1013
    case apiResponseFailure = 1014
    case illegalState = 1015
    case sessionStateFailed = 1020
    case connectTimedOut = 1021
    case connectionDropped = 1022
    case connectionRefused = 1023
    case blockedCountry = 1026
    case connectionLimitExceeded = 1027
    case subscriberNotFound = 1112
    case publisherNotFound = 1113
    case peerToPeerParticipantLimit = 1403
    case signalDataTooLong = 1413
    case invalidSignalType = 1461
    case unableToPublish = 1500
    case unableToSubscribe = 1501
    case noMessagingServer = 1503
    case unableToForceDisconnect = 1520
    case unableToForceUnpublish = 1530
    case unableToForceMute = 1540
    case subscriberTimedOut = 1542
    case unableToSignal = 1550
    case webRTCError = 1600
    case streamNotFound = 1604
    case streamLimitExceeded = 1605
    case internalError = 2000
    case unexpectedServerResponse = 2001

    /// What a client makes of the answer to its request for session information.
    package init(sessionInfoStatus status: Int) {
        self =
            switch status {
            case 400: .invalidSession
            case 403: .authorizationFailure
            case 409: .blockedCountry
            case 500...: .unexpectedServerResponse
            default: .connectionFailed
            }
    }
}
