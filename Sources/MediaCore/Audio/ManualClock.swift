import Synchronization

/// A clock that stands still until somebody moves it: the time of a simulation, and of tests.
package final class ManualClock: Sendable {
    private struct Sleeper {
        var id: UInt64
        var until: MediaTime
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now: MediaTime
        var sleepers: [Sleeper] = []
        /// Cancelled before they slept.
        var cancelled: Set<UInt64> = []
        var nextID: UInt64 = 0
    }

    private let state: Mutex<State>

    package init(now: MediaTime) { state = Mutex(State(now: now)) }

    /// The clock for those who live by it.
    package var clock: MediaClock { MediaClock({ self.now }) { try await self.wait(until: $0) } }

    package var now: MediaTime { state.withLock { $0.now } }

    /// The earliest time that anybody waits for.
    package var nextDeadline: MediaTime? { state.withLock { $0.sleepers.lazy.map(\.until).min() } }

    /// Lets time go on to `time`, and wakes whoever has waited for it, the earliest first. Time never goes back.
    package func advance(to time: MediaTime) {
        let due = state.withLock { state in
            state.now = max(state.now, time)
            let now = state.now
            defer { state.sleepers.removeAll { $0.until <= now } }
            return state.sleepers.filter { $0.until <= now }.sorted { ($0.until, $0.id) < ($1.until, $1.id) }
        }
        for sleeper in due { sleeper.continuation.resume() }
    }

    private func wait(until time: MediaTime) async throws {
        let id = state.withLock { state in
            state.nextID += 1
            return state.nextID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = state.withLock { state -> Result<Void, any Error>? in
                    if state.cancelled.remove(id) != nil { return .failure(CancellationError()) }
                    if time <= state.now { return .success(()) }
                    state.sleepers.append(Sleeper(id: id, until: time, continuation: continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            cancel(id)
        }
        state.withLock { _ = $0.cancelled.remove(id) }
    }

    private func cancel(_ id: UInt64) {
        let sleeper = state.withLock { state -> Sleeper? in
            guard let index = state.sleepers.firstIndex(where: { $0.id == id }) else {
                state.cancelled.insert(id)
                return nil
            }
            return state.sleepers.remove(at: index)
        }
        sleeper?.continuation.resume(throwing: CancellationError())
    }
}
