/// How often a push token may be sent: once in five minutes for one user, five times in five minutes in total.
///
/// A user's time begins with a success and is forgotten when the chat is made anew; the total counts every attempt.
public struct PushTokenLimiter: Sendable, Hashable {
    /// Milliseconds.
    public static let period: Int64 = 300_000
    private var sent = SlidingWindow(limit: 1, period: period)
    private var attempts = SlidingWindow(limit: 5, period: period)

    /// Nothing has been sent.
    public init() {}

    /// Milliseconds until a token may be sent; 0 for now.
    ///
    /// - Parameter now: milliseconds.
    public func wait(now: Int64) -> Int64 { max(sent.wait(now: now), attempts.wait(now: now)) }

    /// Counts an attempt. Throws `tooOften`, and counts nothing, where it is too early.
    public mutating func begin(now: Int64) throws(DeskError) {
        let wait = wait(now: now)
        guard wait == 0, attempts.take(now: now) else {
            throw DeskError(
                .tooOften,
                "a push token is sent once in five minutes for a user and five times in total; wait \((wait + 999) / 1_000) s",
                retryAfter: wait)
        }
    }

    /// The token has arrived.
    public mutating func succeeded(now: Int64) { _ = sent.take(now: now) }

    /// The chat is made anew, perhaps for somebody else.
    public mutating func userChanged() { sent.reset() }
}
