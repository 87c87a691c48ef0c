import NIOCore
import RTCTransport

/// A datagram loop whose CPU time is known.
final class LoopThread: Sendable {
    let loop: DatagramLoop
    let clock: CPUClock

    init() throws {
        loop = try DatagramLoop()
        clock = try loop.submit { CPUClock.current() }.wait()
    }

    /// Runs `body` on the loop and waits for it.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        try loop.submit(body).wait()
    }

    func shutDown() throws { try loop.syncShutdownGracefully() }
}
