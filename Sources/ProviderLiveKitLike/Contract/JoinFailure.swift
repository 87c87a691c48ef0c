import CallBridge
import CallModel
import LiveKitProtocol

/// Why signalling could not be opened, and whether trying again makes sense.
struct JoinFailure: Error, Sendable {
    /// What follows from it.
    enum Kind: Sendable, Hashable {
        /// Nobody answered, or not properly: the same may work later.
        case retryable
        /// The server knows no such path: an older mode may work.
        case unknownPath
        /// The server refused with this status. 401 and 403 mean the token.
        case refused(status: Int)
        /// The server let us in and sent us away.
        case left(Livekit_LeaveRequest)
    }

    var kind: Kind
    /// For the caller.
    var error: CallError

    init(_ kind: Kind, _ error: CallError) {
        self.kind = kind
        self.error = error
    }
}

extension JoinFailure {
    /// A refused upgrade, with the server's own words; the token, which it may repeat, is cut out of them.
    static func refused(_ target: SignalTarget, status: Int, body: String, token: String) -> JoinFailure {
        let said = RemoteText.excerpt(body.trimming(while: \.isWhitespace), without: [token])
        let words = said.isEmpty ? "" : ": \(said)"
        return JoinFailure(
            .refused(status: status),
            CallError(
                .provider, .providerRefused,
                "the server \(target.authority) refused the connection (HTTP \(status))\(words); "
                    + advice(status, body)))
    }

    private static func advice(_ status: Int, _ body: String) -> String {
        // LiveKit's server says that a room is full with 500, as it does with faults of its own.
        if body.contains("max participants") {
            return "the room is full; wait until somebody leaves, or have it made for more participants"
        }
        return switch status {
        case 401, 403: "check the token, its key and secret, and that it has not expired"
        case 404: "is it a LiveKit server, and does the room exist?"
        case 429: "the server has had too many requests; try again later"
        case 503: "the server is full; try again later"
        case 500...: "the fault is the server's; its log says more"
        default: "check the URL"
        }
    }
}
