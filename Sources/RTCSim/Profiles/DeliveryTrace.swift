import RTCWire

/// When a link was able to deliver a packet of 1500 bytes, as mahimahi records it; it begins again when it is over.
package struct DeliveryTrace: Sendable, Hashable {
    /// Bytes, headers of IP and UDP included, that pass at each opportunity.
    static let opportunity = 1500

    /// Milliseconds from the beginning, ascending; several at one time are several opportunities. The last one is above 0 and
    /// the length of the trace.
    package let milliseconds: [Int]

    /// Nil where the times don't ascend, are negative, or end at 0.
    package init?(_ milliseconds: [Int]) {
        guard let first = milliseconds.first, let last = milliseconds.last, first >= 0, last > 0, last <= Self.longest,
            zip(milliseconds, milliseconds.dropFirst()).allSatisfy({ $0 <= $1 })
        else { return nil }
        self.milliseconds = milliseconds
    }

    /// A day.
    package static let longest = 86_400_000

    /// When the opportunity of a number comes; they are counted on through all repetitions.
    func time(of number: Int) -> Interval {
        let (cycle, index) = number.quotientAndRemainder(dividingBy: milliseconds.count)
        return .milliseconds(cycle * milliseconds[milliseconds.count - 1] + milliseconds[index])
    }

    /// The first opportunity that has not passed.
    func number(notBefore elapsed: Interval) -> Int {
        let wanted = Int((max(0, elapsed.nanoseconds) + 999_999) / 1_000_000)
        let cycle = max(0, wanted - 1) / milliseconds[milliseconds.count - 1]
        let rest = wanted - cycle * milliseconds[milliseconds.count - 1]
        var (low, high) = (0, milliseconds.count - 1)
        while low < high {
            let middle = (low + high) / 2
            if milliseconds[middle] >= rest { high = middle } else { low = middle + 1 }
        }
        return cycle * milliseconds.count + low
    }
}

/// A link that sends when its trace says so.
struct DeliveryLink: Sendable {
    /// The opportunity that is being used.
    private var number = -1
    /// What is left of it, in bytes.
    private var left = 0

    /// When a datagram of so many bytes has been sent; nil where its turn comes after more than `queue`.
    mutating func send(_ bytes: Int, at elapsed: Interval, _ trace: DeliveryTrace, queue: Interval) -> Interval? {
        var (number, left) = (number, left)
        let first = trace.number(notBefore: elapsed)
        if number < first { (number, left) = (first, DeliveryTrace.opportunity) }
        guard trace.time(of: number) - elapsed <= queue else { return nil }
        var rest = bytes
        while rest > left {
            rest -= left
            (number, left) = (number + 1, DeliveryTrace.opportunity)
        }
        (self.number, self.left) = (number, left - rest)
        return trace.time(of: number)
    }
}
