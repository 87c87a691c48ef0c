import CSocket
import Glibc
import NIOCore
import Synchronization

/// Work that threads bring to a loop. One wake-up serves all that comes while the loop sleeps.
final class LoopInbox: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        var jobs: [Job] = []
        /// The loop waits, or is about to, and nobody has woken it.
        var isAsleep = false
        var isStopping = false
        var isClosed = false
    }

    /// What the loop does next.
    enum Rest { case sleep, lookOnly, end }

    /// An eventfd(2), which the loop's epoll watches for edges: it is never read.
    let descriptor: CInt
    private let state = Mutex(State())

    init() throws(IOError) {
        descriptor = eventfd(0, CInt(EFD_CLOEXEC) | CInt(EFD_NONBLOCK))
        guard descriptor >= 0 else { throw IOError(errnoCode: errno, reason: "eventfd") }
    }

    deinit { close(descriptor) }

    /// Adds a job behind those that are there; false where the loop has ended.
    @discardableResult
    func add(_ job: @escaping Job) -> Bool {
        let (isTaken, mustWake) = state.withLock { state in
            guard !state.isClosed else { return (false, false) }
            state.jobs.append(job)
            defer { state.isAsleep = false }
            return (true, state.isAsleep)
        }
        if mustWake { wake() }
        return isTaken
    }

    /// Adds a job that can wait until the loop wakes up for another reason; false where the loop has ended.
    func leave(_ job: @escaping Job) -> Bool {
        state.withLock { state in
            guard !state.isClosed else { return false }
            state.jobs.append(job)
            return true
        }
    }

    /// Asks the loop to end.
    func stop() {
        state.withLock { $0.isStopping = true }
        wake()
    }

    private func wake() { eventfd_write(descriptor, 1) }

    // MARK: On the loop

    /// The loop has done what there was.
    func rest() -> Rest {
        state.withLock { state in
            if state.isStopping { return .end }
            state.isAsleep = state.jobs.isEmpty
            return state.isAsleep ? .sleep : .lookOnly
        }
    }

    /// The loop works; what comes needs no waking.
    func awake() { state.withLock { $0.isAsleep = false } }

    /// Hands out what has come, for an empty array in exchange.
    func take(into jobs: inout [Job]) {
        state.withLock { swap(&$0.jobs, &jobs) }
    }

    /// Takes no more jobs, unless some have come meanwhile.
    ///
    /// - Parameter closed: called before anybody's job is refused.
    func closeIfEmpty(_ closed: () -> Void) -> Bool {
        state.withLock { state in
            guard state.jobs.isEmpty else { return false }
            state.isClosed = true
            closed()
            return true
        }
    }
}
