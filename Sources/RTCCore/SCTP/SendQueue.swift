import RTCWire

/// A message on its way out.
struct OutgoingMessage {
    var stream: UInt16
    var protocolID: UInt32
    /// At least one byte.
    var payload: [UInt8]
    var isUnordered = false
    /// How often each fragment may be sent again; nil for until it arrives.
    var maximumRetransmissions: Int?
    /// When the message is given up; nil for never.
    var expiry: Instant?
    /// Counts in the stream's buffered amount, which is the application's.
    var isCounted = true
}

/// What waits to be sent, per stream, and whose turn it is.
///
/// Streams with something to say take turns, message by message: without interleaving (RFC 8260) a message that has begun
/// must be finished before another begins.
struct SendQueue {
    /// One fragment to be sent.
    struct Fragment {
        var message: Int64
        var chunk: DataChunk
        var maximumRetransmissions: Int?
        var expiry: Instant?
    }

    enum Next {
        case nothing
        case fragment(Fragment)
        /// A message of which a part has been sent has run out of time, and is gone from the queue.
        case expired(Rest)
    }

    /// What was left of a message that had begun, and left the queue unsent.
    struct Rest: Hashable {
        var message: Int64
        var stream: UInt16
        var sequence: UInt16
        var isUnordered: Bool
    }

    private struct Stream {
        var messages = FIFO<OutgoingMessage>()
        /// Of the first message.
        var sent = 0
        var number: Int64 = 0
        var nextSequence: UInt16 = 0
        var bytes = 0
        var lowThreshold = 0
        var isWaiting = false
    }

    /// Over all streams.
    private(set) var bytes = 0
    private var streams: [UInt16: Stream] = [:]
    /// Streams with messages, in the order of their turns.
    private var turns = FIFO<UInt16>()
    /// The stream in the middle of a message.
    private var current: UInt16?
    private var lastMessage: Int64 = 0

    var isEmpty: Bool { bytes == 0 }

    func bytes(of stream: UInt16) -> Int { streams[stream]?.bytes ?? 0 }

    mutating func setLowThreshold(_ bytes: Int, of stream: UInt16) {
        streams[stream, default: Stream()].lowThreshold = max(0, bytes)
    }

    mutating func add(_ message: OutgoingMessage) {
        bytes += message.payload.count
        let isNew = update(message.stream) { stream in
            if message.isCounted { stream.bytes += message.payload.count }
            stream.messages.append(message)
            defer { stream.isWaiting = true }
            return !stream.isWaiting
        }
        if isNew { turns.append(message.stream) }
    }

    /// The next fragment of at most `room` payload bytes. Streams whose amount falls to the threshold are appended to
    /// `low`.
    mutating func next(room: Int, now: Instant, canAbandon: Bool, low: inout [UInt16]) -> Next {
        while let stream = current ?? takeTurn() {
            guard let message = streams[stream]?.messages.first else {
                current = nil
                continue
            }
            if canAbandon, let expiry = message.expiry, expiry <= now {
                let rest = rest(of: stream)
                dropFirst(of: stream, &low)
                current = nil
                if let rest { return .expired(rest) }
                continue
            }
            return .fragment(cut(message, stream, room, &low))
        }
        return .nothing
    }

    /// Bytes of the fragment that `next` would give without a limit; nil where nothing waits.
    var nextLength: Int? {
        guard let stream = current ?? turns.first, let state = streams[stream], let message = state.messages.first
        else { return nil }
        return message.payload.count - state.sent
    }

    /// Gives up what is left of a message that was begun; nil where nothing was left.
    mutating func discard(message: Int64, of stream: UInt16, low: inout [UInt16]) -> Rest? {
        guard let rest = rest(of: stream), rest.message == message else { return nil }
        dropFirst(of: stream, &low)
        if current == stream { current = nil }
        return rest
    }

    private func rest(of stream: UInt16) -> Rest? {
        guard let state = streams[stream], state.sent > 0, let message = state.messages.first else { return nil }
        return Rest(
            message: state.number, stream: stream, sequence: message.isUnordered ? 0 : state.nextSequence,
            isUnordered: message.isUnordered)
    }

    private mutating func takeTurn() -> UInt16? {
        guard let stream = turns.removeFirst() else { return nil }
        streams[stream]?.isWaiting = false
        current = stream
        return stream
    }

    private mutating func cut(
        _ message: OutgoingMessage, _ stream: UInt16, _ room: Int, _ low: inout [UInt16]
    ) -> Fragment {
        var state = streams.removeValue(forKey: stream) ?? Stream()
        if state.sent == 0 {
            lastMessage += 1
            state.number = lastMessage
        }
        let end = min(message.payload.count, state.sent + max(1, room))
        let isWhole = state.sent == 0 && end == message.payload.count
        let chunk = DataChunk(
            tsn: 0, stream: stream, streamSequence: message.isUnordered ? 0 : state.nextSequence,
            protocolID: message.protocolID,
            payload: isWhole ? message.payload : Array(message.payload[state.sent..<end]),
            isUnordered: message.isUnordered, isBeginning: state.sent == 0, isEnd: end == message.payload.count)
        let fragment = Fragment(
            message: state.number, chunk: chunk, maximumRetransmissions: message.maximumRetransmissions,
            expiry: message.expiry)
        let length = end - state.sent
        state.sent = end
        leave(length, message, &state, stream, &low)
        if chunk.isEnd { finish(&state, stream, wasOrdered: !message.isUnordered) }
        streams[stream] = state
        return fragment
    }

    /// The first message of a stream is done with, one way or the other.
    private mutating func finish(_ state: inout Stream, _ stream: UInt16, wasOrdered: Bool) {
        state.messages.removeFirst()
        state.sent = 0
        if wasOrdered { state.nextSequence &+= 1 }
        if current == stream { current = nil }
        guard !state.messages.isEmpty, !state.isWaiting else { return }
        state.isWaiting = true
        turns.append(stream)
    }

    private mutating func dropFirst(of stream: UInt16, _ low: inout [UInt16]) {
        guard var state = streams.removeValue(forKey: stream), let message = state.messages.first else { return }
        leave(message.payload.count - state.sent, message, &state, stream, &low)
        // A number that never was on the wire is not used up.
        finish(&state, stream, wasOrdered: !message.isUnordered && state.sent > 0)
        streams[stream] = state
    }

    private mutating func leave(
        _ count: Int, _ message: OutgoingMessage, _ state: inout Stream, _ stream: UInt16, _ low: inout [UInt16]
    ) {
        bytes -= count
        guard message.isCounted else { return }
        let wasAbove = state.bytes > state.lowThreshold
        state.bytes -= count
        if wasAbove, state.bytes <= state.lowThreshold { low.append(stream) }
    }

    private mutating func update<Result>(_ stream: UInt16, _ body: (inout Stream) -> Result) -> Result {
        var state = streams.removeValue(forKey: stream) ?? Stream()
        defer { streams[stream] = state }
        return body(&state)
    }

    // MARK: Reset

    /// Whether everything of a stream has been sent.
    func isDrained(_ stream: UInt16) -> Bool { streams[stream]?.messages.isEmpty ?? true }

    /// The stream has been reset: its messages are numbered from 0 again.
    mutating func reset(_ stream: UInt16) {
        guard isDrained(stream) else {
            update(stream) { $0.nextSequence = 0 }
            return
        }
        streams[stream] = nil
    }

    /// Everything is forgotten: the association is gone.
    mutating func removeAll() {
        self = SendQueue(lastMessage: lastMessage)
    }

    init() {}

    private init(lastMessage: Int64) { self.lastMessage = lastMessage }
}
