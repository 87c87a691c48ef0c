import RTCWire

/// What somebody may cause in a while: so much at once, and so much a second from then on. A value that reads no clock.
struct TokenBucket: Sendable, Hashable {
    /// Tokens that come back in a second.
    let rate: Double
    /// Tokens of one who has rested.
    let burst: Double
    private var tokens: Double
    private var updated = Instant.zero

    init(rate: Double, burst: Double) {
        self.rate = rate
        self.burst = burst
        tokens = burst
    }

    /// Takes `cost` tokens where there are any: what costs more than is left makes a debt, which is waited for.
    mutating func take(_ cost: Double = 1, now: Instant) -> Bool {
        refill(now)
        guard tokens > 0 else { return false }
        tokens -= cost
        return true
    }

    /// How long until something can be taken again; 0 where it can.
    mutating func wait(now: Instant) -> Interval {
        refill(now)
        return tokens > 0 ? .zero : .seconds((0.001 - tokens) / rate)
    }

    /// Nothing is missing: as good as a new one.
    mutating func isFull(now: Instant) -> Bool {
        refill(now)
        return tokens >= burst
    }

    private mutating func refill(_ now: Instant) {
        if now > updated { tokens = min(burst, tokens + (now - updated).seconds * rate) }
        updated = max(updated, now)
    }
}

/// A bucket for each of many, of whom only those count who have taken something lately.
struct TokenBuckets<Key: Hashable & Sendable>: Sendable {
    let rate: Double
    let burst: Double
    /// Beyond so many the ones that have filled up again are forgotten; where that frees none, nobody new is served.
    let capacity: Int
    private var buckets: [Key: TokenBucket] = [:]

    init(rate: Double, burst: Double, capacity: Int = 10_000) {
        self.rate = rate
        self.burst = burst
        self.capacity = capacity
    }

    mutating func take(_ key: Key, now: Instant) -> Bool {
        if let index = buckets.index(forKey: key) { return buckets.values[index].take(now: now) }
        if buckets.count >= capacity {
            buckets = buckets.filter {
                var bucket = $0.value
                return !bucket.isFull(now: now)
            }
            guard buckets.count < capacity else { return false }
        }
        var bucket = TokenBucket(rate: rate, burst: burst)
        defer { buckets[key] = bucket }
        return bucket.take(now: now)
    }
}
