import RTCWire

/// How many bytes of one stream may be repeated: never more than have been sent of it, and never more at once than were sent
/// within the latest two seconds.
///
/// Whoever asks for packets again and again thus gets twice what the stream costs, at most. libwebrtc has the same bound,
/// the send rate within a second. A stream that sends little may still repeat `floor` bytes at once.
package struct RetransmissionBudget: Sendable {
    /// What may be repeated at once however little is sent now, in bytes: some 20 packets.
    package static let floor = 24_000
    /// What may be repeated before much has been sent, in bytes.
    package static let start = 3_000
    /// How long a window is in which what is sent is added up.
    package static let window = Interval.seconds(1)

    /// Bytes that may be repeated now.
    private var credit = RetransmissionBudget.start
    private var windowStart: Instant?
    private var sentNow = 0
    private var sentBefore = 0

    package init() {}

    /// Counts a packet that has been sent for the first time.
    package mutating func note(sent bytes: Int, now: Instant) {
        turn(now)
        sentNow += bytes
        credit += bytes
    }

    /// Whether a packet of so many bytes may be repeated now; takes them where so.
    package mutating func take(_ bytes: Int, now: Instant) -> Bool {
        turn(now)
        credit = min(credit, max(sentNow + sentBefore, RetransmissionBudget.floor))
        guard bytes <= credit else { return false }
        credit -= bytes
        return true
    }

    /// Half of what may be repeated at once is there: enough for repetitions of what has been repeated just now.
    package mutating func isAmple(now: Instant) -> Bool {
        turn(now)
        return credit * 2 >= max(sentNow + sentBefore, RetransmissionBudget.floor)
    }

    private mutating func turn(_ now: Instant) {
        guard let start = windowStart else { return windowStart = now }
        let elapsed = now - start
        guard elapsed >= RetransmissionBudget.window else { return }
        credit = min(credit, max(sentNow + sentBefore, RetransmissionBudget.floor))
        sentBefore = elapsed < RetransmissionBudget.window * 2 ? sentNow : 0
        sentNow = 0
        windowStart = now
    }
}
