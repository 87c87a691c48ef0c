import CSocket
import Glibc
import Synchronization

/// A thread that can be waited for: when `join` returns, nothing of it runs any more.
final class LoopThread: Sendable {
    private final class Body {
        let name: String
        let run: () -> Void

        init(_ name: String, _ run: @escaping () -> Void) {
            self.name = name
            self.run = run
        }
    }

    private let thread: Mutex<pthread_t?>

    /// Begins it.
    ///
    /// - Parameter name: as debuggers and `top -H` show it; 15 bytes at the most.
    init(name: String, _ run: @escaping @Sendable () -> Void) throws(ThreadError) {
        let body = Unmanaged.passRetained(Body(name, run))
        var started = pthread_t()
        let code = pthread_create(
            &started, nil,
            { argument in
                guard let argument else { return nil }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), body.name)
                body.run()
                return nil
            }, body.toOpaque())
        guard code == 0 else {
            body.release()
            throw ThreadError(code: code)
        }
        thread = Mutex(started)
    }

    deinit { thread.withLock { if let left = $0 { pthread_detach(left) } } }

    /// Waits until it has ended. Not from the thread itself.
    func join() {
        thread.withLock { thread in
            if let running = thread { pthread_join(running, nil) }
            thread = nil
        }
    }
}

/// The system gives no thread.
struct ThreadError: Error {
    /// As errno(3).
    var code: CInt
}
