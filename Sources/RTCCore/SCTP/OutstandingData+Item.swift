import RTCWire

extension OutstandingData {
    /// What became of a chunk.
    enum Fate: Hashable {
        case inFlight
        /// To be sent again.
        case lost
        case acknowledged
        /// Given up; the other side is to skip it.
        case abandoned
    }

    struct Item {
        var chunk: DataChunk
        var message: Int64
        var maximumRetransmissions: Int?
        var expiry: Instant?
        var fate = Fate.inFlight
        var sentAt: Instant
        /// Position among all transmissions, so that a chunk sent again is judged by what was sent after it.
        var order: Int64
        var transmissions = 1
        /// The first TSN from here on that no gap block has reported, as far as is known.
        var nextUnreported: Int64
        /// Its running out of time is noted.
        var isExpiring = false

        /// May not be sent again, however soon.
        var hasNoMoreTries: Bool { maximumRetransmissions.map { transmissions > $0 } ?? false }

        /// May not be sent again.
        func isExhausted(_ now: Instant) -> Bool {
            if let expiry, expiry <= now { return true }
            return hasNoMoreTries
        }
    }
}
