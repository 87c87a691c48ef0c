import LiveKitProtocol

/// What we say while the signalling socket is away, kept in order for the next one.
///
/// Descriptions, candidates and what belongs to one socket only are never kept: after a resume they are made anew.
struct SignalQueue {
    /// Which messages pass.
    enum Gate: Sendable, Hashable {
        /// Nothing passes: there is no socket.
        case closed
        /// What belongs to the socket passes: it is being resumed.
        case resuming
        /// Everything passes.
        case open
    }

    /// More than anybody says during the ten attempts to reconnect; the oldest go first.
    static let capacity = 1024

    private(set) var gate = Gate.closed
    private(set) var waiting: [Livekit_SignalRequest] = []

    /// Whether the message is to be sent now; otherwise it waits, or is dropped where it would mean nothing later.
    mutating func admit(_ message: Livekit_SignalRequest) -> Bool {
        switch gate {
        case .open: return true
        case .resuming where !Self.isKept(message): return true
        case .closed where !Self.isKept(message): return false
        case .closed, .resuming:
            if waiting.count == Self.capacity { waiting.removeFirst() }
            waiting.append(message)
            return false
        }
    }

    /// The socket is gone.
    mutating func close() { gate = .closed }

    /// There is a socket again, and the session is about to be resumed on it.
    mutating func beginResuming() { gate = .resuming }

    /// Everything passes from now on; gives what has been waiting, in order.
    mutating func open() -> [Livekit_SignalRequest] {
        gate = .open
        defer { waiting = [] }
        return waiting
    }

    /// A new session knows nothing of the old one's tracks: forgets what spoke of them, keeps what we say of ourselves.
    mutating func forgetSession() {
        waiting.removeAll { request in
            if case .updateMetadata = request.message { false } else { true }
        }
    }

    /// Whether a message still means something on the next socket.
    static func isKept(_ message: Livekit_SignalRequest) -> Bool {
        switch message.message {
        case .offer, .answer, .trickle, .syncState, .simulate, .leave, .ping, .pingReq, nil: false
        default: true
        }
    }
}
