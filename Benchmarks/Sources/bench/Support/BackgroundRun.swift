import CSocket
import Dispatch
import Glibc
import Synchronization

/// Work on a thread of its own that is waited for.
final class BackgroundRun<Result: Sendable>: Sendable {
    private let result = Mutex<Result?>(nil)
    private let finished = DispatchSemaphore(value: 0)

    init(_ name: String, _ body: @escaping @Sendable () -> Result) {
        DispatchQueue(label: name).async { [self] in
            // As profiles show it.
            pthread_setname_np(pthread_self(), name)
            let value = body()
            result.withLock { $0 = value }
            finished.signal()
        }
    }

    /// Waits for the end.
    func wait() -> Result? {
        finished.wait()
        return result.withLock { $0 }
    }
}
