import LiveKitProtocol

/// What we say while the signalling socket is away, kept in order for the next one; before it, what we said on the last one
/// since the latest ping that was answered: that socket may have been dead by then.
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
    /// More than anybody says between a ping and its answer; the oldest go first.
    static let unconfirmedCapacity = 64

    private(set) var gate = Gate.closed
    private(set) var waiting: [Livekit_SignalRequest] = []
    /// The pings among them are marks: the server answers in order.
    private(set) var unconfirmed: [Livekit_SignalRequest] = []

    /// Whether the message is to be sent now; otherwise it waits, or is dropped where it would mean nothing later.
    mutating func admit(_ message: Livekit_SignalRequest) -> Bool {
        let passes: Bool =
            switch gate {
            case .open: true
            case .resuming: !Self.isKept(message)
            case .closed: false
            }
        if passes {
            note(message)
        } else if Self.isKept(message) {
            if waiting.count == Self.capacity { waiting.removeFirst() }
            waiting.append(message)
        }
        return passes
    }

    /// The server has answered a ping, and so has got what was said before.
    mutating func confirm(_ pong: Livekit_Pong) {
        let place = unconfirmed.firstIndex {
            if case .pingReq(let ping) = $0.message { ping.timestamp == pong.lastPingTimestamp } else { false }
        }
        if let place { unconfirmed.removeSubrange(...place) }
    }

    /// The socket is gone.
    mutating func close() {
        gate = .closed
        waiting.insert(contentsOf: unconfirmed.filter(Self.isKept), at: 0)
        unconfirmed = []
        waiting.removeFirst(max(0, waiting.count - Self.capacity))
    }

    /// There is a socket again, and the session is about to be resumed on it.
    mutating func beginResuming() { gate = .resuming }

    /// Everything passes from now on; gives what has been waiting, in order.
    mutating func open() -> [Livekit_SignalRequest] {
        gate = .open
        defer { waiting = [] }
        for message in waiting { note(message) }
        return waiting
    }

    /// A new session knows nothing of the old one's tracks: forgets what spoke of them, keeps what we say of ourselves.
    mutating func forgetSession() {
        waiting.removeAll { request in
            if case .updateMetadata = request.message { false } else { true }
        }
        unconfirmed = []
    }

    private mutating func note(_ message: Livekit_SignalRequest) {
        guard Self.isSaidAgain(message) else { return }
        if unconfirmed.count == Self.unconfirmedCapacity { unconfirmed.removeFirst() }
        unconfirmed.append(message)
    }

    /// Whether a message does no harm where it comes twice, and is not said anew by whoever said it; and the marks.
    private static func isSaidAgain(_ message: Livekit_SignalRequest) -> Bool {
        switch message.message {
        case .mute, .subscription, .trackSetting, .updateAudioTrack, .updateVideoTrack, .pingReq: true
        default: false
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
