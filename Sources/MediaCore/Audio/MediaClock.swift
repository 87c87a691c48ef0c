import Glibc

/// Where a call's times are read from: the machine's monotonic clock, or a simulation's.
public struct MediaClock: Sendable {
    private let read: @Sendable () -> MediaTime

    /// - Parameter read: gives the present time; it never goes back.
    public init(_ read: @escaping @Sendable () -> MediaTime) { self.read = read }

    /// The machine's monotonic clock.
    public static let system = MediaClock { .now }

    /// The present time.
    public var now: MediaTime { read() }
}

extension MediaTime {
    /// Reads the monotonic clock.
    public static var now: MediaTime {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return MediaTime(nanoseconds: Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec))
    }
}
