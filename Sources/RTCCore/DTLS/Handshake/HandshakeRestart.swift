import RTCWire

/// A handshake at the beginning of one of the peer's flights, of which nothing is there yet: what came ahead of it may be
/// forged, and would be refused again and again.
struct HandshakeRestart: ~Copyable {
    let machine: HandshakeMachine
    /// The number of the flight's first message.
    let next: UInt16
    let log: HandshakeLog

    init(_ machine: consuming HandshakeMachine, next: UInt16, _ log: HandshakeLog) {
        self.machine = machine
        self.next = next
        self.log = log
    }

    borrowing func copied() -> HandshakeRestart { HandshakeRestart(machine.copied(), next: next, log) }
}

/// Messages in the clear that were refused. Anybody can have sent one; a peer that means it sends it again with its
/// flight.
struct HandshakeRefusals {
    /// No peer repeats a flight sooner; what comes sooner is more of the same forgery.
    private static let shortestRepetition = Interval.milliseconds(20)
    /// What answers a message of ours may be the peer's, and answer one that it was made believe was ours: until it has
    /// heard our flight again and has answered that.
    private static let answerPatience = Interval.seconds(1)
    /// Each costs a signature check at most.
    private static let limit = 64

    private var first: (message: HandshakeMessage, at: Instant)?
    private var count = 0

    /// Notes a refusal. True where the peer stands by its message, or where there are too many.
    mutating func isInsisted(_ message: HandshakeMessage, isAnswer: Bool, _ now: Instant) -> Bool {
        count += 1
        if let first, first.message == message, count <= HandshakeRefusals.limit {
            let patience =
                isAnswer ? HandshakeRefusals.answerPatience : HandshakeRefusals.shortestRepetition
            return now - first.at >= patience
        }
        first = (message, now)
        return count > HandshakeRefusals.limit
    }
}
