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
