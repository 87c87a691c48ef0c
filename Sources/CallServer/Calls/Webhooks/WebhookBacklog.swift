import RTCWire

/// One body on its way to a receiver.
struct WebhookEntry: Sendable, Hashable {
    /// Entries of one key are delivered one after the other.
    var key: String
    /// Of this body alone: an id that waits already is not taken again.
    var id: String
    var body: [UInt8]
}

/// What waits for one receiver, and when it is to be sent: order per key, repetitions, bounds. No socket and no clock.
///
/// Each key has a lane, and only a lane's first entry is ever under way: it is repeated until it is acknowledged, refused
/// or expired, and the lane waits for it. Lanes do not wait for one another, but for a free request (`concurrency`).
struct WebhookBacklog<Generator: RandomNumberGenerator & Sendable>: Sendable {
    /// What came of `add`.
    enum Admission: Hashable {
        case accepted
        case known
        case full
    }

    private struct Waiting {
        var entry: WebhookEntry
        var expires: Instant
        var attempts = 0
    }

    private struct Lane {
        var entries: [Waiting] = []
        /// Entries before it are done; they are cut off now and then.
        var first = 0
        /// Of the bodies that wait.
        var bytes = 0
        var notBefore = Instant.zero
        var isUnderWay = false

        var count: Int { entries.count - first }
        var head: Waiting? { first < entries.count ? entries[first] : nil }

        mutating func removeHead() {
            bytes -= head?.entry.body.count ?? 0
            first += 1
            guard first >= 64, first * 2 >= entries.count else { return }
            entries.removeFirst(first)
            first = 0
        }
    }

    let policy: WebhookPolicy
    private(set) var statistics = WebhookStatistics()
    /// Waits between repetitions are cut to this; set while the queue is being flushed.
    var longestDelay: Interval
    private var generator: Generator
    private var lanes: [String: Lane] = [:]
    /// Keys of lanes that are not under way, in the order in which they came to wait.
    private var idle: [String] = []
    private var ids: Set<String> = []
    private var underWay = 0

    init(policy: WebhookPolicy, generator: Generator) {
        self.policy = policy
        self.generator = generator
        longestDelay = policy.longestDelay
    }

    var isEmpty: Bool { ids.isEmpty }

    /// Takes an entry, unless it is here already or there is no room for it.
    mutating func add(_ entry: WebhookEntry, now: Instant) -> Admission {
        guard !ids.contains(entry.id) else { return .known }
        let lane = lanes[entry.key] ?? Lane()
        let size = entry.body.count
        guard statistics.waiting < policy.entries, statistics.bytes + size <= policy.bytes,
            lane.count < policy.entriesPerKey, lane.bytes + size <= policy.bytesPerKey
        else {
            statistics.overflowed += 1
            return .full
        }
        ids.insert(entry.id)
        statistics.accepted += 1
        statistics.waiting += 1
        statistics.bytes += entry.body.count
        if lanes[entry.key] == nil { idle.append(entry.key) }
        lanes[entry.key, default: Lane()].entries.append(Waiting(entry: entry, expires: now + policy.lifetime))
        lanes[entry.key]?.bytes += size
        return .accepted
    }

    /// The next entry to send now, which from then on is under way; nil where none is due or enough are.
    mutating func next(now: Instant) -> WebhookEntry? {
        guard underWay < policy.concurrency else { return nil }
        guard let index = idle.firstIndex(where: { (lanes[$0]?.notBefore ?? .distantFuture) <= now }) else {
            return nil
        }
        let key = idle.remove(at: index)
        guard var lane = lanes[key], let head = lane.head else { return nil }
        lane.isUnderWay = true
        lane.entries[lane.first].attempts += 1
        if head.attempts > 0 { statistics.repetitions += 1 }
        lanes[key] = lane
        underWay += 1
        return head.entry
    }

    /// Notes what came of a request; gives the number of attempts and the wait until the next one, if there is one.
    ///
    /// - Parameter wait: how long the receiver wants to be left alone; the next attempt comes no sooner.
    @discardableResult
    mutating func finish(
        _ entry: WebhookEntry, _ outcome: WebhookOutcome, atLeast wait: Interval = .zero, now: Instant
    ) -> (attempts: Int, delay: Interval?) {
        guard var lane = lanes[entry.key], lane.isUnderWay, let head = lane.head, head.entry.id == entry.id else {
            return (0, nil)
        }
        underWay -= 1
        lane.isUnderWay = false
        var delay: Interval?
        switch outcome {
        case .acknowledged: statistics.delivered += 1
        case .refused: statistics.refused += 1
        case .failed where head.expires <= now: statistics.expired += 1
        case .failed: delay = max(wait, self.delay(after: head.attempts))
        }
        if let delay { lane.notBefore = now + delay } else { forget(&lane, head) }
        lanes[entry.key] = lane.head == nil ? nil : lane
        if lane.head != nil { idle.append(entry.key) }
        return (head.attempts, delay)
    }

    /// When `next` may have something that it does not have now.
    var nextDeadline: Instant? {
        underWay < policy.concurrency ? idle.lazy.compactMap { [lanes] in lanes[$0]?.notBefore }.min() : nil
    }

    /// From now on nothing waits longer than `delay` for its repetition.
    mutating func hurry(_ delay: Interval, now: Instant) {
        longestDelay = delay
        for key in idle {
            guard let notBefore = lanes[key]?.notBefore else { continue }
            lanes[key]?.notBefore = min(notBefore, now + delay)
        }
    }

    private mutating func forget(_ lane: inout Lane, _ head: Waiting) {
        lane.removeHead()
        lane.notBefore = .zero
        ids.remove(head.entry.id)
        statistics.waiting -= 1
        statistics.bytes -= head.entry.body.count
    }

    private mutating func delay(after attempts: Int) -> Interval {
        let doublings = min(attempts - 1, 30)
        let full = min(policy.firstDelay.nanoseconds << Int64(doublings), longestDelay.nanoseconds)
        return Interval(nanoseconds: Int64.random(in: (full / 2)...max(full, 1), using: &generator))
    }
}
