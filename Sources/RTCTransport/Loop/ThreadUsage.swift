import Glibc
import RTCWire

/// What a thread had used at a moment.
package struct ThreadUsage: Sendable {
    package var wall: Instant
    /// Processor time of the thread.
    package var processor: Interval
    /// How often the thread has waited for something of its own accord.
    var waits: Int

    /// RUSAGE_THREAD, which the headers show to C alone.
    private static let callingThread: Int32 = 1

    /// Of the calling thread.
    package static func now() -> ThreadUsage {
        var usage = rusage()
        getrusage(ThreadUsage.callingThread, &usage)
        return ThreadUsage(wall: MonotonicClock.now(), processor: MonotonicClock.processor(), waits: usage.ru_nvcsw)
    }

    /// What the thread's own work took since `start`: where it has waited for nothing, the time in which it did not run
    /// went to other threads.
    package func held(since start: ThreadUsage) -> Interval {
        let elapsed = wall - start.wall
        return waits == start.waits ? min(elapsed, processor - start.processor) : elapsed
    }
}

/// Times the datagrams of one read by one look at the clock each; processor time, which costs a system call, is asked
/// for once a millisecond.
struct DatagramTimer {
    /// Shorter ones are of no interest.
    private static let threshold = Interval.microseconds(500)
    private static let granularity = Interval.milliseconds(1)

    private var asked = Instant(nanoseconds: .min / 2)
    private var processor = Interval.zero
    private var previous = Instant.zero
    private var began = Instant.zero

    mutating func begin(_ now: Instant) {
        began = now
        previous = now
        if now - asked > Self.granularity { ask(now) }
    }

    /// A datagram has been handled; gives how long it took where that is long.
    mutating func next() -> (held: Interval, wall: Interval, now: Instant)? {
        let now = MonotonicClock.now()
        defer { previous = now }
        return measured(since: previous, now)
    }

    /// All have been handled, and what followed has been sent.
    mutating func end() -> (held: Interval, wall: Interval, now: Instant)? {
        measured(since: began, MonotonicClock.now())
    }

    private mutating func measured(
        since start: Instant, _ now: Instant
    ) -> (held: Interval, wall: Interval, now: Instant)? {
        guard now - start > Self.threshold else { return nil }
        let before = processor
        ask(now)
        return (min(now - start, processor - before), now - start, now)
    }

    private mutating func ask(_ now: Instant) {
        asked = now
        processor = MonotonicClock.processor()
    }
}

extension StallMeter {
    /// A datagram that took its time.
    func note(_ hold: (held: Interval, wall: Interval, now: Instant), _ datagram: UnsafeRawBufferPointer) {
        let kind = PacketKind.classify(datagram.bytes)
        note(LoopHold(source: .datagram, kind: "\(kind)", held: hold.held, wall: hold.wall), at: hold.now)
    }

    /// A read that took its time.
    func note(_ hold: (held: Interval, wall: Interval, now: Instant)) {
        note(LoopHold(source: .batch, kind: "datagrams of a read", held: hold.held, wall: hold.wall), at: hold.now)
    }
}
