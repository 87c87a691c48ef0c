import RTCWire

/// Bits a second that come in, over the latest second, from the first tenth of one on.
struct ReceivedRate: Sendable {
    private static let slot = Interval.milliseconds(50)
    private static let slots: Int64 = 20
    private static let least = Interval.milliseconds(100)

    private var bytes = InlineArray<20, UInt32>(repeating: 0)
    private var sum = 0
    private var newest: Int64 = 0
    private var first: Instant?
    private var latest = Instant.zero

    /// In bit/s; nil until it is known.
    var bitrate: Double? {
        guard let first, latest - first >= ReceivedRate.least else { return nil }
        let start = Instant(nanoseconds: (newest - ReceivedRate.slots + 1) &* ReceivedRate.slot.nanoseconds)
        return Double(sum * 8) / (latest - max(start, first)).seconds
    }

    mutating func add(_ count: Int, arrival: Instant) {
        let slot = arrival.nanoseconds / ReceivedRate.slot.nanoseconds
        if first == nil {
            first = arrival
            latest = arrival
            newest = slot
        }
        latest = max(latest, arrival)
        guard slot > newest - ReceivedRate.slots else { return }
        if slot > newest { turn(to: slot) }
        bytes[place(slot)] &+= UInt32(clamping: count)
        sum += count
    }

    /// Forgets all but `count` bytes that came since `start`, no more than a second ago.
    mutating func restart(at start: Instant, _ count: Int) {
        bytes = InlineArray(repeating: 0)
        bytes[place(newest)] = UInt32(clamping: count)
        sum = count
        first = start
    }

    private mutating func turn(to slot: Int64) {
        for empty in max(newest + 1, slot - ReceivedRate.slots + 1)...slot {
            sum -= Int(bytes[place(empty)])
            bytes[place(empty)] = 0
        }
        newest = slot
    }

    private func place(_ slot: Int64) -> Int {
        Int(((slot % ReceivedRate.slots) + ReceivedRate.slots) % ReceivedRate.slots)
    }
}
