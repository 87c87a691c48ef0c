import NIOCore
import NIOPosix

/// An event loop on a thread of its own whose CPU time is known.
final class LoopThread: Sendable {
    let loop: any EventLoop
    let clock: CPUClock
    private let group: MultiThreadedEventLoopGroup

    init() throws {
        group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        loop = group.next()
        clock = try loop.submit { CPUClock.current() }.wait()
    }

    /// Runs `body` on the loop and waits for it.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        try loop.submit(body).wait()
    }

    func shutDown() throws { try group.syncShutdownGracefully() }
}
