import Glibc
import NIOCore
import RTCWire
import Synchronization
import Testing

@testable import RTCTransport

/// The loop as those know it who hand work to it.
@Suite(.timeLimit(.minutes(10))) struct DatagramLoopTests {
    /// What happened, in order.
    private final class Log: Sendable {
        private let entries = Mutex<[Int]>([])

        func add(_ entry: Int) { entries.withLock { $0.append(entry) } }
        var all: [Int] { entries.withLock { $0 } }
    }

    private static func withLoop(_ body: (DatagramLoop, Log) async throws -> Void) async throws {
        let loop = try DatagramLoop()
        try await body(loop, Log())
        try await loop.shutdownGracefully()
    }

    @Test func jobsAreDoneInTheirOrder() async throws {
        try await Self.withLoop { loop, log in
            #expect(!loop.inEventLoop)
            for number in 0..<1000 { loop.execute { log.add(number) } }
            let isOnLoop = try await loop.submit { loop.inEventLoop }.get()
            #expect(isOnLoop)
            #expect(log.all == Array(0..<1000))
        }
    }

    /// What a job hands in is done behind what was there, and never within it.
    @Test func aJobDoesNotInterruptItself() async throws {
        try await Self.withLoop { loop, log in
            try await loop.submit {
                loop.execute {
                    loop.execute { log.add(3) }
                    log.add(1)
                }
                loop.execute { log.add(2) }
                log.add(0)
            }.get()
            try await loop.submit {}.get()
            try await loop.submit {}.get()
            #expect(log.all == [0, 1, 2, 3])
        }
    }

    /// What is left is done in its order.
    @Test func whatIsLeftIsDoneWithWhatComesNext() async throws {
        try await Self.withLoop { loop, log in
            for number in 0..<10 { loop.leave { log.add(number) } }
            try await loop.submit { log.add(10) }.get()
            #expect(log.all == Array(0...10))
        }
    }

    /// A sleeping loop is woken by what is added, and not by what is left.
    @Test func whatIsLeftWakesNobody() throws {
        let inbox = try LoopInbox()
        func isWoken() -> Bool {
            var descriptor = pollfd(fd: inbox.descriptor, events: Int16(POLLIN), revents: 0)
            return poll(&descriptor, 1, 0) == 1
        }
        guard case .sleep = inbox.rest() else { return #expect(Bool(false), "there is nothing to do") }
        #expect(inbox.leave {} && !isWoken())
        #expect(inbox.add {} && isWoken())
        var jobs: [LoopInbox.Job] = []
        inbox.take(into: &jobs)
        #expect(jobs.count == 2)
    }

    /// An ended loop's work is done all the same.
    @Test func whatIsLeftAfterTheEndIsDone() async throws {
        let loop = try DatagramLoop()
        loop.leave {}
        try await loop.shutdownGracefully()
        await withCheckedContinuation { continuation in loop.leave { continuation.resume() } }
    }

    /// Each thread's jobs keep their order, none is lost, and a sleeping loop is woken.
    @Test func manyThreadsWakeTheLoop() async throws {
        try await Self.withLoop { loop, log in
            await withTaskGroup(of: Void.self) { group in
                for thread in 0..<4 {
                    group.addTask {
                        for number in 0..<500 {
                            loop.execute { log.add(thread * 1000 + number) }
                            // Now and then the loop has gone to sleep before the next one.
                            if number % 50 == 0 { try? await loop.submit {}.get() }
                        }
                    }
                }
            }
            try await loop.submit {}.get()
            for thread in 0..<4 {
                #expect(log.all.filter { $0 / 1000 == thread } == (0..<500).map { thread * 1000 + $0 })
            }
        }
    }

    /// One wake-up serves all that came while the loop slept or was busy.
    @Test func manyJobsCostFewWakeUps() async throws {
        try await Self.withLoop { loop, log in
            let before = try await loop.submit { loop.wakeUps }.get()
            let isReady = Atomic<Bool>(false)
            let busy = loop.submit { while !isReady.load(ordering: .acquiring) {} }
            for number in 0..<10_000 { loop.execute { log.add(number) } }
            isReady.store(true, ordering: .releasing)
            try await busy.get()
            let after = try await loop.submit { loop.wakeUps }.get()
            #expect(log.all.count == 10_000 && after - before < 10)
        }
    }

    @Test func timersFireInTheOrderOfTheirDeadlines() async throws {
        try await Self.withLoop { loop, log in
            let futures = try await loop.submit {
                let now = loop.now
                return [(3, 3), (1, 1), (2, 2), (1, 10), (-1000, 0)].map { milliseconds, number in
                    loop.scheduleTask(deadline: now + .milliseconds(Int64(milliseconds))) {
                        #expect(loop.now >= now + .milliseconds(Int64(milliseconds)))
                        log.add(number)
                    }.futureResult
                }
            }.get()
            for future in futures { try await future.get() }
            #expect(log.all == [0, 1, 10, 2, 3])
        }
    }

    @Test func aTimerFromAnotherThreadFires() async throws {
        try await Self.withLoop { loop, _ in
            let start = loop.now
            let late = try await loop.scheduleTask(in: .milliseconds(5)) { loop.now - start }.futureResult.get()
            #expect(late >= .milliseconds(5))
        }
    }

    @Test func whatIsCancelledDoesNotHappen() async throws {
        try await Self.withLoop { loop, log in
            let distant = loop.scheduleTask(in: .hours(1)) { log.add(1) }
            distant.cancel()
            await #expect(throws: EventLoopError.self) { try await distant.futureResult.get() }
            // One timer cancels another that is due at the same time.
            let scheduled = try await loop.submit { () -> EventLoopFuture<Void> in
                let due = loop.now + .milliseconds(1)
                let box = NIOLoopBoundBox<Scheduled<Void>?>(nil, eventLoop: loop)
                loop.scheduleTask(deadline: due) { box.value?.cancel() }
                box.value = loop.scheduleTask(deadline: due) { log.add(2) }
                return loop.scheduleTask(deadline: due + .milliseconds(1)) {}.futureResult
            }.get()
            try await scheduled.get()
            #expect(log.all.isEmpty)
        }
    }

    /// What a cancelled or finished task has held is let go of, though somebody keeps the `Scheduled`.
    @Test func aTaskThatIsOverHoldsNothing() async throws {
        final class Held: Sendable {}
        try await Self.withLoop { loop, _ in
            weak var held: Held?
            func schedule(_ delay: TimeAmount) -> Scheduled<Void> {
                let object = Held()
                held = object
                return loop.scheduleTask(in: delay) { _ = object }
            }
            let done = schedule(.zero)
            try await done.futureResult.get()
            try await loop.submit {}.get()
            #expect(held == nil)
            let cancelled = schedule(.hours(1))
            cancelled.cancel()
            try await loop.submit {}.get()
            #expect(held == nil)
        }
    }

    @Test func repeatedTasksRepeatUntilTheyAreCancelled() async throws {
        try await Self.withLoop { loop, log in
            let done = loop.makePromise(of: Void.self)
            loop.scheduleRepeatedTask(initialDelay: .zero, delay: .milliseconds(1)) { task in
                log.add(1)
                if log.all.count == 5 { task.cancel(promise: done) }
            }
            try await done.futureResult.get()
            try await loop.scheduleTask(in: .milliseconds(5)) {}.futureResult.get()
            #expect(log.all.count == 5)
        }
    }

    /// A timer that sets itself anew at once lets jobs have their turn.
    @Test func aTimerThatIsAlwaysDueDoesNotStarveJobs() async throws {
        try await Self.withLoop { loop, log in
            try await loop.submit {
                @Sendable func again() { loop.scheduleTask(deadline: .uptimeNanoseconds(0)) { again() } }
                again()
            }.get()
            for number in 0..<10 { try await loop.submit { log.add(number) }.get() }
            #expect(log.all.count == 10)
        }
    }

    @Test func atTheEndJobsAreDoneAndTimersFail() async throws {
        let (loop, log) = (try DatagramLoop(), Log())
        let timer = loop.scheduleTask(in: .hours(1)) { log.add(99) }
        let failed = loop.makePromise(of: Void.self)
        timer.futureResult.whenFailure { error in
            if case EventLoopError.shutdown = error { log.add(2) }
            failed.succeed()
        }
        loop.execute {
            log.add(0)
            loop.execute { log.add(1) }
        }
        try await loop.shutdownGracefully()
        #expect(log.all.sorted() == [0, 1, 2])
        // Afterwards whoever asks still gets an answer.
        #expect(try await loop.submit { loop.inEventLoop }.get())
        let late = loop.scheduleTask(in: .zero) { log.add(97) }
        await #expect(throws: EventLoopError.self) { try await late.futureResult.get() }
        let later = loop.flatSubmit { loop.scheduleTask(in: .zero) { log.add(96) }.futureResult }
        await #expect(throws: EventLoopError.self) { try await later.get() }
        try await loop.shutdownGracefully()
        #expect(log.all.count == 3)
    }

    @Test func anActorMayLiveOnTheLoop() async throws {
        actor Counter {
            let loop: DatagramLoop
            var count = 0
            nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

            init(_ loop: DatagramLoop) { self.loop = loop }

            func add() -> Bool {
                count += 1
                return loop.inEventLoop
            }
        }
        try await Self.withLoop { loop, _ in
            let counter = Counter(loop)
            for _ in 0..<100 { #expect(await counter.add()) }
            #expect(await counter.count == 100)
        }
    }
}
