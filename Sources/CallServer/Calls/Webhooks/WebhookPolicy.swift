import RTCWire

/// How a `WebhookQueue` delivers, and what it may hold.
struct WebhookPolicy: Sendable {
    /// Requests under way at a time.
    var concurrency = 8
    /// Before the first repetition; each further one waits twice as long, and a random share of up to half is taken off.
    var firstDelay = Interval.milliseconds(500)
    /// No repetition waits longer.
    var longestDelay = Interval.seconds(10)
    /// How long one request may take, from the connection to the answer's end.
    var timeout = Interval.seconds(10)
    /// An entry that nobody has acknowledged after this time is given up.
    var lifetime = Interval.seconds(24 * 3600)
    /// Entries that wait or are under way; a further one is refused.
    var entries = 10_000
    /// Of those, entries of one key: one room must not keep the others' from being delivered.
    var entriesPerKey = 2_500
    /// Bytes of their bodies; an entry beyond is refused.
    var bytes = 32 * 1024 * 1024
    /// Of those, bytes of one key.
    var bytesPerKey = 8 * 1024 * 1024
}

/// What became of one request.
enum WebhookOutcome: Sendable, Hashable {
    /// The receiver has it: any status of 2xx.
    case acknowledged
    /// The receiver has understood and does not want it: 3xx and 4xx, but for those that ask to come again.
    case refused(status: Int)
    /// To be repeated: no connection, no answer in time, 5xx, 408, 425, 429.
    case failed(String)

    init(status: Int) {
        switch status {
        case 200..<300: self = .acknowledged
        case 408, 425, 429: self = .failed("status \(status)")
        case 300..<500: self = .refused(status: status)
        default: self = .failed("status \(status)")
        }
    }
}

/// What a `WebhookQueue` has counted.
struct WebhookStatistics: Sendable, Hashable {
    /// Taken from the caller.
    var accepted = 0
    /// Acknowledged by the receiver.
    var delivered = 0
    /// Requests beyond the first of their entry.
    var repetitions = 0
    /// Not taken: the queue was full.
    var overflowed = 0
    /// The receiver did not want them.
    var refused = 0
    /// Nobody acknowledged them within their lifetime.
    var expired = 0
    /// Wait or are under way.
    var waiting = 0
    /// Bytes of those.
    var bytes = 0
}
