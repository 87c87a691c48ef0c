import RTCWire

/// Who sends what is played, and how far it has come.
struct PlayoutSource {
    /// Nothing came for so long: the path was away, or the sender silent.
    private static let silence = Interval.seconds(1)
    /// For so long after that older packets come again.
    private static let repair = Interval.seconds(2)

    var ssrc: UInt32?
    var timestamps = TimestampUnwrapper()
    /// The packet with the highest number so far.
    var newest: (sequence: Int64, timestamp: Int64)?
    /// Which of the 64 numbers up to the newest have come, whether by themselves or as copies: bit 0 is the newest.
    private var heard: UInt64 = 0
    private var lastArrival: Instant?
    private var repairEnd: Instant?

    /// A packet came. Gives whether its delay says something of the path: what a path that was away has lost, and is sent again
    /// once it is back, is late for no jitter.
    ///
    /// - Parameter isNewest: its number is above all before.
    mutating func noteArrival(_ arrival: Instant, isNewest: Bool) -> Bool {
        if let lastArrival, arrival - lastArrival > Self.silence { repairEnd = arrival + Self.repair }
        lastArrival = arrival
        guard let repairEnd, arrival < repairEnd else { return true }
        return isNewest
    }

    /// A frame came, by itself or as a copy. Gives whether it is the first time; true where it is too old to tell.
    ///
    /// To be called before `newest` is set to it.
    mutating func hear(_ sequence: Int64) -> Bool {
        guard let newest else {
            heard = 1
            return true
        }
        let ahead = sequence &- newest.sequence
        guard ahead <= 0 else {
            heard = ahead < 64 ? heard << UInt64(ahead) | 1 : 1
            return true
        }
        guard ahead > -64 else { return true }
        let bit: UInt64 = 1 << UInt64(-ahead)
        defer { heard |= bit }
        return heard & bit == 0
    }
}
