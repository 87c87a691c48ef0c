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
}
