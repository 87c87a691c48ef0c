import NIOCore
import RTCWire

/// Lets the messages of one WebSocket through at a bounded rate, in their order. What comes faster waits, and while it
/// waits nothing is read: a client in a hurry is slowed down, one that floods us fills its own buffers.
struct MessageGate {
    enum Admission: Hashable {
        case pass
        /// It has its turn later.
        case wait
        /// More wait than any client has to say.
        case overflow
    }

    /// A message of so many bytes counts as two, one of twice as many as three.
    private static let bytesPerToken = 2_048.0

    private let capacity: Int
    private var bucket: TokenBucket
    private var waiting = CircularBuffer<SignalMessage>()

    init(rate: Double, burst: Double, capacity: Int) {
        bucket = TokenBucket(rate: rate, burst: burst)
        self.capacity = capacity
    }

    var isHolding: Bool { !waiting.isEmpty }

    mutating func admit(_ message: SignalMessage, now: Instant) -> Admission {
        if waiting.isEmpty, bucket.take(Self.cost(message), now: now) { return .pass }
        guard waiting.count < capacity else { return .overflow }
        waiting.append(message)
        return .wait
    }

    /// The next one that waits and may pass now.
    mutating func next(now: Instant) -> SignalMessage? {
        guard let first = waiting.first, bucket.take(Self.cost(first), now: now) else { return nil }
        waiting.removeFirst()
        return first
    }

    /// How long until the next one may pass.
    mutating func delay(now: Instant) -> Interval { bucket.wait(now: now) }

    mutating func clear() { waiting.removeAll() }

    private static func cost(_ message: SignalMessage) -> Double {
        switch message {
        case .binary(let bytes): 1 + Double(bytes.count) / bytesPerToken
        case .text(let text): 1 + Double(text.utf8.count) / bytesPerToken
        }
    }
}
