import NIOCore
import RTCTransport
import RTCWire

/// Calls a body at fixed times on an event loop, without drift: call `n` is due `n` intervals after the start.
///
/// A late call is made up for at once; after a stall of more than `backlog` intervals the calls that were missed are left
/// out. How late calls came is told to a meter.
// `schedule`, `timer` and `isStopped` are touched on `loop` only, to which `start` and `stop` hop.
final class PeriodicPump: @unchecked Sendable {
    private let loop: any EventLoop
    private let interval: Interval
    private let backlog: Int
    private let meter: WakeMeter
    private let body: (_ index: Int, _ time: Instant) -> Void
    private var schedule: TickSchedule?
    private var timer: Scheduled<Void>?
    private var isStopped = false

    /// - Parameters:
    ///   - backlog: calls beside the present one that are made up for after a stall.
    ///   - body: gets the number of the call, counting skipped ones, and the time at which it was due.
    init(
        loop: any EventLoop, interval: Interval, backlog: Int = TickSchedule.usualBacklog, meter: WakeMeter,
        body: @escaping (_ index: Int, _ time: Instant) -> Void
    ) {
        self.loop = loop
        self.interval = interval
        self.backlog = backlog
        self.meter = meter
        self.body = body
    }

    /// - Parameter phase: delay of the first call, so that many pumps don't wake together.
    func start(phase: Interval = .zero) {
        loop.execute { [self] in
            guard !isStopped else { return }
            schedule = TickSchedule(origin: MonotonicClock.now() + phase, interval: interval, backlog: backlog)
            setTimer()
        }
    }

    func stop() {
        loop.execute { [self] in
            isStopped = true
            timer?.cancel()
            timer = nil
        }
    }

    private func setTimer() {
        guard !isStopped, let due = schedule?.deadline else { return }
        let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, due.nanoseconds)))
        timer = loop.scheduleTask(deadline: deadline) { [weak self] in self?.fire() }
    }

    private func fire() {
        let now = MonotonicClock.now()
        if let due = schedule?.deadline, let skipped = schedule?.skip(at: now) {
            meter.record(due: due, now: now, skipped: skipped)
        }
        while !isStopped, let tick = schedule?.take(at: now) { body(tick.index, tick.due) }
        setTimer()
    }
}
