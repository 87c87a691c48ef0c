import OpenTokSignalling

/// Why something that the application asked for did not happen: the number that client SDKs have for it, and a sentence.
package struct ClientError: Error, Hashable, Sendable, CustomStringConvertible {
    package var code: ClientErrorCode
    /// What is wrong, and what to do.
    package var detail: String

    package init(_ code: ClientErrorCode, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String { "\(detail) (\(code.rawValue))" }
}

/// Why a session is over.
package enum ClientEnd: Hashable, Sendable {
    /// We left.
    case left
    /// The server did not let us in.
    case refused(ClientError)
    /// The server has taken our connection away.
    case removed(RaptorReason)
    /// The message transport was closed in order, without a word why.
    case closed
    /// The message transport was lost, and nobody came back in time.
    case lost
    /// The server does not keep to the protocol.
    case misbehaved

    /// What commands that were under way, and later ones, are told.
    package var error: ClientError {
        switch self {
        case .left: ClientError(.notConnected, "we have left the session")
        case .refused(let error): error
        case .removed: ClientError(.notConnected, "the server has disconnected us from the session")
        case .closed: ClientError(.connectionDropped, "the server has closed the connection; is it shutting down?")
        case .lost: ClientError(.connectionDropped, "the connection to the server was lost and did not come back")
        case .misbehaved: ClientError(.unexpectedServerResponse, "the server does not keep to the protocol")
        }
    }
}
