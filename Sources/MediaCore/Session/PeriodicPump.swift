import NIOCore
import RTCTransport
import RTCWire

/// Calls a body at fixed times on an event loop, without drift: call `n` is due `n` intervals after the start.
///
/// A late call is made up for at once; after a stall of more than `maximumBacklog` intervals the calls that were missed
/// are left out and counted.
// Every member is touched on `loop` only; `start` and `stop` hop there.
final class PeriodicPump: @unchecked Sendable {
    private static let maximumBacklog = 5

    private let loop: any EventLoop
    private let interval: Interval
    private let body: (_ index: Int, _ time: Instant) -> Void
    private var origin = Instant.zero
    private var next = 0
    private var timer: Scheduled<Void>?
    private var isStopped = false
    /// Calls that were left out after a stall.
    private(set) var skipped = 0

    /// - Parameter body: gets the number of the call, counting skipped ones, and the time at which it was due.
    init(loop: any EventLoop, interval: Interval, body: @escaping (_ index: Int, _ time: Instant) -> Void) {
        self.loop = loop
        self.interval = interval
        self.body = body
    }

    /// - Parameter phase: delay of the first call, so that many pumps don't wake together.
    func start(phase: Interval = .zero) {
        loop.execute { [self] in
            guard !isStopped else { return }
            origin = MonotonicClock.now() + phase
            schedule()
        }
    }

    func stop() {
        loop.execute { [self] in
            isStopped = true
            timer?.cancel()
            timer = nil
        }
    }

    private func schedule() {
        let due = origin + interval * next
        let deadline = NIODeadline.uptimeNanoseconds(UInt64(max(0, due.nanoseconds)))
        timer = loop.scheduleTask(deadline: deadline) { [weak self] in self?.fire() }
    }

    private func fire() {
        let now = MonotonicClock.now()
        let behind = Int((now - (origin + interval * next)).nanoseconds / max(1, interval.nanoseconds))
        if behind > PeriodicPump.maximumBacklog {
            skipped += behind
            next += behind
        }
        while !isStopped, origin + interval * next <= now {
            let index = next
            next += 1
            body(index, origin + interval * index)
        }
        if !isStopped { schedule() }
    }
}
