import NIOCore

/// What is done for a participant by the clock.
struct ParticipantClocks {
    /// The end of a stay whose media or signalling is lost.
    var departure: Scheduled<Void>?
    private var join: Scheduled<Void>?
    private var rhythm: RepeatedTask?

    mutating func after(_ milliseconds: Int, on eventLoop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        join = eventLoop.scheduleTask(in: .milliseconds(Int64(milliseconds)), body)
    }

    mutating func every(_ milliseconds: Int, on eventLoop: any EventLoop, _ body: @escaping @Sendable () -> Void) {
        let interval = TimeAmount.milliseconds(Int64(milliseconds))
        rhythm = eventLoop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in body() }
    }

    mutating func cancel() {
        join?.cancel()
        rhythm?.cancel()
        departure?.cancel()
    }
}
