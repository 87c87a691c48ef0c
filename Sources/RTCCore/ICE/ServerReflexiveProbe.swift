import RTCWire

/// Asks a STUN server how it sees us: the server-reflexive candidate of RFC 8445 section 5.1.1.2.
package struct ServerReflexiveProbe: Sendable {
    package enum State: Sendable, Hashable {
        case asking
        /// Our address as the server sees it.
        case answered(TransportAddress)
        /// No answer, or none of STUN.
        case failed
    }

    package let server: TransportAddress
    package private(set) var state = State.asking
    private let transactionID: STUNTransactionID
    private var attempts = 0
    private var wait = ServerReflexiveProbe.firstWait
    private var nextAt: Instant

    /// - Parameter seed: of the transaction id, for repeatable tests.
    package init(server: TransportAddress, seed: UInt64? = nil, now: Instant) {
        self.server = server
        var random = ICERandom(seed: seed)
        transactionID = random.transactionID()
        nextAt = now
    }

    /// When to call `advance`.
    package var nextDeadline: Instant? { state == .asking ? nextAt : nil }

    /// RTO, Rc and Rm of RFC 8489 section 6.2.1.
    private static let firstWait = Interval.milliseconds(500)
    private static let mostAttempts = 7
    private static let lastWait = firstWait * 16

    /// Asks, again and again at doubling intervals (RFC 8489 section 6.2.1); true where it gave up.
    package mutating func advance(to now: Instant, into outbox: DatagramOutbox) -> Bool {
        guard state == .asking, nextAt <= now else { return false }
        guard attempts < ServerReflexiveProbe.mostAttempts else {
            state = .failed
            return true
        }
        attempts += 1
        nextAt = now + (attempts == ServerReflexiveProbe.mostAttempts ? ServerReflexiveProbe.lastWait : wait)
        wait = wait * 2
        var builder = STUNMessageBuilder.bindingRequest(transactionID, into: outbox.reserve(64))
        builder.addFingerprint()
        outbox.commit(builder.finish(), to: server)
        return false
    }

    /// Takes a datagram from the server; true where it was the answer.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard state == .asking, let message = try? STUNMessage(parsing: bytes.bytes), message.method == .binding,
            message.transactionID == transactionID, message.messageClass == .success || message.messageClass == .error
        else { return false }
        state = message.mappedAddress.map { .answered($0) } ?? .failed
        return true
    }
}
