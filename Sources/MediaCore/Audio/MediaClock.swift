import Glibc

/// Where a call's times are read from, and what its deadlines are waited for on: the machine's monotonic clock, or a
/// simulation's.
public struct MediaClock: Sendable {
    private let read: @Sendable () -> MediaTime
    private let waiter: @Sendable (MediaTime) async throws -> Void

    /// - Parameters:
    ///   - read: gives the present time; it never goes back.
    ///   - wait: returns when that time has come, and throws `CancellationError` where its task is cancelled before.
    public init(_ read: @escaping @Sendable () -> MediaTime, wait: @escaping @Sendable (MediaTime) async throws -> Void)
    {
        self.read = read
        waiter = wait
    }

    /// The machine's monotonic clock.
    public static let system = MediaClock({ .now }) { time in
        try await Task.sleep(for: .nanoseconds(max(0, time.nanoseconds - MediaTime.now.nanoseconds)))
    }

    /// The present time.
    public var now: MediaTime { read() }

    /// Returns when that time has come. Throws `CancellationError` where the task is cancelled before.
    public func wait(until time: MediaTime) async throws { try await waiter(time) }

    /// Returns when so much time has gone by. Throws `CancellationError` where the task is cancelled before.
    public func wait(seconds: Double) async throws { try await waiter(now.advanced(seconds: seconds)) }
}

extension MediaTime {
    /// Reads the monotonic clock.
    public static var now: MediaTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MediaTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
