import Foundation

/// What time it is, and when it is so late: the machine's clock, or a test's.
public protocol DeskClock: Sendable {
    /// Milliseconds of Unix time that never go back.
    var now: Int64 { get }
    /// Returns at that time, or throws `CancellationError` when the task is cancelled.
    func wait(until deadline: Int64) async throws
}

/// The machine's clock.
public struct SystemDeskClock: DeskClock {
    private static let origin = (
        wall: Int64(Date().timeIntervalSince1970 * 1_000), monotonic: ContinuousClock.now
    )

    /// The one there is.
    public init() { _ = Self.origin }

    /// Set once, then counted by the monotonic clock.
    public var now: Int64 {
        let passed = Self.origin.monotonic.duration(to: .now).components
        return Self.origin.wall + passed.seconds * 1_000 + passed.attoseconds / 1_000_000_000_000_000
    }

    /// By the monotonic clock.
    public func wait(until deadline: Int64) async throws {
        try await Task.sleep(for: .milliseconds(max(0, deadline - now)))
    }
}
