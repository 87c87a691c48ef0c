import Dispatch
import NIOCore
import RTCWire

/// The loop as NIO's futures and those who schedule work know it.
extension DatagramLoop: EventLoop {
    /// Does `task` on the loop, behind all that was handed in before it; never at once.
    package func execute(_ task: @escaping @Sendable () -> Void) {
        if !inbox.add(task) { DatagramLoop.afterlife.execute(task) }
    }

    /// Does `task` on the loop in its order, when the loop wakes up for another reason.
    package func leave(_ task: @escaping @Sendable () -> Void) {
        if !inbox.leave(task) { DatagramLoop.afterlife.execute(task) }
    }

    /// The machine's monotonic clock, as `MonotonicClock` reads it.
    package var now: NIODeadline { NIODeadline(MonotonicClock.now()) }

    /// Does `task` at a time, or soon where that has passed; those due at one time in the order in which they were
    /// scheduled. Where the loop ends before, the future fails with `EventLoopError.shutdown`.
    @discardableResult
    package func scheduleTask<T>(
        deadline: NIODeadline, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        let promise = makePromise(of: T.self)
        let timer = LoopTimer(
            once: { promise.assumeIsolated().completeWith(Result { try task() }) },
            abandoned: { promise.fail(EventLoopError.shutdown) })
        let due = Instant(deadline)
        if isOnThread {
            set(timer, to: due)
        } else if !inbox.add({ self.set(timer, to: due) }) {
            promise.fail(EventLoopError.shutdown)
        }
        return Scheduled(promise: promise) {
            if self.isOnThread { self.cancel(timer) } else { self.inbox.add { self.cancel(timer) } }
        }
    }

    @discardableResult
    package func scheduleTask<T>(
        in delay: TimeAmount, _ task: @escaping @Sendable () throws -> T
    ) -> Scheduled<T> {
        scheduleTask(deadline: now + delay, task)
    }

    private func cancel(_ timer: LoopTimer) {
        remove(timer)
        timer.drop()
    }

    package func preconditionInEventLoop(file: StaticString, line: UInt) {
        precondition(inEventLoop, "not on the loop", file: file, line: line)
    }

    package func preconditionNotInEventLoop(file: StaticString, line: UInt) {
        precondition(!inEventLoop, "on the loop", file: file, line: line)
    }

    // MARK: A group of one

    package func next() -> any EventLoop { self }
    package func any() -> any EventLoop { self }
    package func makeIterator() -> EventLoopIterator { EventLoopIterator([self]) }

    /// Ends the loop; when `callback` is called, its thread is gone. What was handed in before is done, and what that hands
    /// in.
    package func shutdownGracefully(queue: DispatchQueue, _ callback: @escaping @Sendable ((any Error)?) -> Void) {
        queue.async {
            self.join()
            callback(nil)
        }
    }
}

/// Actors may live on the loop.
extension DatagramLoop: NIOSerialEventLoopExecutor {}

extension NIODeadline {
    init(_ instant: Instant) { self = .uptimeNanoseconds(UInt64(max(0, instant.nanoseconds))) }
}

extension Instant {
    init(_ deadline: NIODeadline) {
        self.init(nanoseconds: Int64(clamping: deadline.uptimeNanoseconds))
    }
}
