import Dispatch
import Foundation
import Synchronization

/// The one thread that callbacks come on, in the order in which things happened.
final class CallbackThread: Sendable {
    static let shared = CallbackThread()

    private struct State {
        var jobs: [@Sendable () -> Void] = []
        var thread: pthread_t?
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)

    private init() {
        Thread.detachNewThread { [self] in
            Thread.current.name = "callbridge"
            state.withLock { $0.thread = pthread_self() }
            while true {
                wake.wait()
                // All that have come by now, in their order; who signalled for one of them finds none left.
                let jobs = state.withLock { state in
                    defer { state.jobs.removeAll() }
                    return state.jobs
                }
                for job in jobs { job() }
            }
        }
    }

    /// Runs a job after those before it.
    func post(_ job: @escaping @Sendable () -> Void) {
        state.withLock { $0.jobs.append(job) }
        wake.signal()
    }

    /// Whether this is that thread: a callback calls.
    var isCurrent: Bool { state.withLock { $0.thread }.map { pthread_equal($0, pthread_self()) != 0 } ?? false }

    /// Returns when what was posted before has run. Within a callback at once.
    func drain() {
        guard !isCurrent else { return }
        let done = DispatchSemaphore(value: 0)
        post { done.signal() }
        done.wait()
    }
}

/// Waits for what tasks do, on a thread that is none of theirs.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () async throws -> Value) throws -> Value {
    let (done, box) = (DispatchSemaphore(value: 0), Box<Value>())
    Task {
        let result: Result<Value, any Error>
        do { result = .success(try await body()) } catch { result = .failure(error) }
        box.value.withLock { $0 = result }
        done.signal()
    }
    done.wait()
    guard let result = box.value.withLock({ $0 }) else { throw ABIError.state("nothing came of it") }
    return try result.get()
}

private final class Box<Value: Sendable>: Sendable {
    let value = Mutex<Result<Value, any Error>?>(nil)
}
