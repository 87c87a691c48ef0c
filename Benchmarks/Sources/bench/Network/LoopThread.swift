import NIOCore
import RTCTransport
import RTCWire

/// A datagram loop whose CPU time is known.
final class LoopThread: Sendable {
    let loop: DatagramLoop
    let clock: CPUClock

    /// - Parameter moderation: as `callagent load` has it for its participants.
    init(moderation: Interval = .zero) throws {
        loop = try DatagramLoop(moderation: moderation)
        clock = try loop.submit { CPUClock.current() }.wait()
    }

    /// Runs `body` on the loop and waits for it.
    func perform<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) throws -> Result {
        try loop.submit(body).wait()
    }

    func shutDown() throws { try loop.syncShutdownGracefully() }
}
