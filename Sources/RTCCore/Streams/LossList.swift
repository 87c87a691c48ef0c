import RTCWire

/// The packets of one stream that are missing, and when each is to be asked for (RFC 4585 section 6.2.1).
///
/// The list is sorted by sequence number and bounded; after its first use it doesn't allocate.
struct LossList {
    struct Entry {
        var sequence: Int64
        var missingSince: Instant
        /// When it is asked for next.
        var due: Instant
        var requests: UInt8
        /// When it was first asked for.
        var requested: Instant?

        /// Whether what comes now can be the answer to a request.
        func isAnswered(at now: Instant, least: Interval) -> Bool { requested.map { now - $0 >= least } ?? false }
    }

    private var entries: [Entry] = []
    /// Not after the earliest `due`; a removal may leave it too early, which costs one idle wake.
    private(set) var deadline: Instant = .distantFuture

    var count: Int { entries.count }

    /// Adds a gap behind all that is listed. Gives how many sequence numbers had no room: the oldest ones.
    mutating func add(_ gap: Range<Int64>, now: Instant, due: Instant, limit: Int) -> Int {
        let kept = gap.suffix(limit)
        let surplus = max(0, entries.count + kept.count - limit)
        if surplus > 0 { entries.removeFirst(surplus) }
        if entries.capacity < limit { entries.reserveCapacity(limit) }
        for sequence in kept {
            entries.append(Entry(sequence: sequence, missingSince: now, due: due, requests: 0))
        }
        if !kept.isEmpty { deadline = min(deadline, due) }
        return surplus + (gap.count - kept.count)
    }

    /// Takes a packet that has come off the list.
    mutating func remove(_ sequence: Int64) -> Entry? {
        let index = firstIndex(notBefore: sequence)
        guard index < entries.count, entries[index].sequence == sequence else { return nil }
        return entries.remove(at: index)
    }

    func contains(_ sequence: Int64) -> Bool {
        let index = firstIndex(notBefore: sequence)
        return index < entries.count && entries[index].sequence == sequence
    }

    /// Gives up everything below `sequence`.
    mutating func removeAll(before sequence: Int64) {
        entries.removeFirst(firstIndex(notBefore: sequence))
        if entries.isEmpty { deadline = .distantFuture }
    }

    /// Appends what is to be asked for now, ascending, and schedules it again `interval` later.
    ///
    /// Gives how many packets were given up, having been asked for `maximumRequests` times.
    ///
    /// - Parameter echoes: how often, 0 to 2, the first request is said again in the time until the second, for requests and answers
    ///   are lost as packets are: after a third of it; or after a sixth, which many bursts don't reach, and a half.
    mutating func collect(
        now: Instant, interval: Interval, echoes: Int = 0, maximumRequests: Int, into requests: inout [UInt16]
    ) -> Int {
        guard deadline <= now else { return 0 }
        deadline = .distantFuture
        var kept = 0
        for index in entries.indices {
            var entry = entries[index]
            if entry.due <= now {
                if Int(entry.requests) >= maximumRequests { continue }
                requests.append(UInt16(truncatingIfNeeded: entry.sequence))
                entry.requests += 1
                entry.requested = entry.requested ?? now
                entry.due = now + wait(after: entry.requests, interval: interval, echoes: echoes)
            }
            deadline = min(deadline, entry.due)
            entries[kept] = entry
            kept += 1
        }
        let givenUp = entries.count - kept
        entries.removeLast(givenUp)
        return givenUp
    }

    private func wait(after requests: UInt8, interval: Interval, echoes: Int) -> Interval {
        switch (echoes, requests) {
        case (1, 1): interval / 3
        case (1, 2): interval - interval / 3
        case (2, 1): interval / 6
        case (2, 2): interval / 3
        case (2, 3): interval / 2
        default: interval
        }
    }

    private func firstIndex(notBefore sequence: Int64) -> Int {
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].sequence < sequence { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
