import MediaCore

/// The one timer of a provider's session. It may go off early, never late.
package struct SessionTimer: Sendable {
    private let clock: MediaClock
    private var deadline: MediaTime?
    private var task: Task<Void, Never>?

    package init(clock: MediaClock) { self.clock = clock }

    /// Has `body` run when that time comes.
    package mutating func set(_ next: MediaTime?, _ body: @escaping @Sendable () async -> Void) {
        guard let next else { return cancel() }
        if let deadline, deadline <= next { return }
        task?.cancel()
        deadline = next
        task = Task { [clock] in
            do { try await clock.wait(until: next) } catch { return }
            await body()
        }
    }

    /// It has gone off.
    package mutating func fired() { (deadline, task) = (nil, nil) }

    package mutating func cancel() {
        task?.cancel()
        fired()
    }
}
