import RTCWire

/// Chunks that are to be sent again or given up, by TSN. An entry may be out of date: the chunk's own state decides.
struct LostChunks {
    private struct Expiry: Comparable {
        var instant: Instant
        var tsn: Int64

        static func < (left: Expiry, right: Expiry) -> Bool { left.instant < right.instant }
    }

    /// To be sent again, the earliest first.
    private var resendable = Heap<Int64>()
    private var expiries = Heap<Expiry>()
    /// May not be sent again.
    private var exhausted: [Int64] = []

    var first: Int64? { resendable.least }

    mutating func add(_ tsn: Int64) { resendable.insert(tsn) }
    mutating func removeFirst() { resendable.removeLeast() }
    mutating func addExhausted(_ tsn: Int64) { exhausted.append(tsn) }
    mutating func add(_ tsn: Int64, expiring instant: Instant) { expiries.insert(Expiry(instant: instant, tsn: tsn)) }

    /// The next chunk that may have to be given up at `now`.
    mutating func takeExhausted(_ now: Instant) -> Int64? {
        if let tsn = exhausted.popLast() { return tsn }
        guard let expiry = expiries.least, expiry.instant <= now else { return nil }
        expiries.removeLeast()
        return expiry.tsn
    }

    /// Nothing is lost any more.
    mutating func removeResendable() {
        if resendable.count > 0 { resendable.removeAll() }
    }
}
