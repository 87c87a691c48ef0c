import NIOCore
import RTCWire

/// One task of an event loop, for whatever is due next.
struct DeadlineTimer {
    private var task: Scheduled<Void>?
    private var deadline = Instant.distantFuture

    /// Has `body` done at a deadline, in place of what was to be done before; it calls `fired` first.
    mutating func set(
        _ deadline: Instant, on eventLoop: any EventLoop, now: Instant, _ body: @escaping @Sendable () -> Void
    ) {
        guard deadline != self.deadline else { return }
        cancel()
        guard deadline < .distantFuture else { return }
        self.deadline = deadline
        task = eventLoop.scheduleTask(in: .nanoseconds(max(0, (deadline - now).nanoseconds)), body)
    }

    mutating func fired() {
        task = nil
        deadline = .distantFuture
    }

    mutating func cancel() {
        task?.cancel()
        fired()
    }
}
