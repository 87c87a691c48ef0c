/// Where a playout stands in the sender's order and time.
struct PlayoutPosition {
    /// The packet that follows in the sender's order.
    var sequence: Int64 = 0
    /// Where in the sender's time the next sample to be decoded stands.
    var timestamp: Int64 = 0
    /// What has been played of the last 64 numbers before `sequence`: bit 0 is the one just before.
    var played: UInt64 = 0

    /// Whether the number so far before the next one was played; false where it is too far to tell.
    func hasPlayed(_ behind: Int64) -> Bool { (1...64).contains(behind) && played >> UInt64(behind - 1) & 1 != 0 }

    /// Makes `next` the next number; those passed over count as never played.
    mutating func moveOn(to next: Int64) {
        let step = next &- sequence
        played = step >= 0 && step < 64 ? played << UInt64(step) : 0
        sequence = next
    }

    /// Moves on behind a packet that is being played.
    mutating func moveOn(behind played: Int64) {
        moveOn(to: played &+ 1)
        self.played |= 1
    }
}
