import RTCWire

/// The association's timers: a fixed table of named slots.
struct SCTPTimers {
    enum Name: Int, CaseIterable {
        /// INIT waits for INIT ACK, COOKIE ECHO for COOKIE ACK (T1).
        case handshake
        /// SHUTDOWN or SHUTDOWN ACK waits for its answer (T2).
        case shutdown
        /// Data waits to be acknowledged (T3-rtx).
        case retransmission
        /// Received data waits to be acknowledged.
        case acknowledgement
        /// The path has been silent, or a probe waits for its answer.
        case heartbeat
        /// A reset request waits for its answer.
        case reset
    }

    private var slots = [Instant](repeating: .distantFuture, count: Name.allCases.count)

    subscript(_ name: Name) -> Instant? {
        slots[name.rawValue] == .distantFuture ? nil : slots[name.rawValue]
    }

    mutating func start(_ name: Name, at deadline: Instant) { slots[name.rawValue] = deadline }
    mutating func stop(_ name: Name) { slots[name.rawValue] = .distantFuture }
    mutating func stopAll() { for name in Name.allCases { stop(name) } }

    /// The soonest of all.
    var next: Instant? {
        let soonest = slots.min() ?? .distantFuture
        return soonest == .distantFuture ? nil : soonest
    }

    /// Stops a timer that has run out, and says so.
    mutating func takeExpired(_ name: Name, _ now: Instant) -> Bool {
        guard slots[name.rawValue] <= now else { return false }
        stop(name)
        return true
    }
}
