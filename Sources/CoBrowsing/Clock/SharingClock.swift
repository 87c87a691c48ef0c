/// Milliseconds that only grow, and waiting for them.
package protocol SharingClock: Sendable {
    var now: Int64 { get }
    /// Returns at that time, or throws where the task is cancelled.
    func wait(until time: Int64) async throws
}

/// The system's clock.
package struct SystemSharingClock: SharingClock {
    private static let origin = ContinuousClock.now

    package init() {}

    package var now: Int64 { (ContinuousClock.now - Self.origin).milliseconds }

    package func wait(until time: Int64) async throws {
        try await Task.sleep(until: Self.origin + .milliseconds(time), tolerance: .milliseconds(1), clock: .continuous)
    }
}

extension Duration {
    fileprivate var milliseconds: Int64 {
        let (seconds, attoseconds) = components
        return seconds * 1_000 + attoseconds / 1_000_000_000_000_000
    }
}
