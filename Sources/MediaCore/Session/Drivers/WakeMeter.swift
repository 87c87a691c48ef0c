import RTCWire
import Synchronization

/// Adds up how late timers ran. Any thread may record and read.
package final class WakeMeter: Sendable {
    /// Everything that this process's media timers recorded.
    package static let process = WakeMeter(parent: nil)

    private struct State {
        var lateness = WakeLateness()
        /// Until when overdue time has been counted.
        var countedUntil = Instant.zero

        mutating func record(due: Instant, now: Instant, skipped: Int) {
            lateness.wakes += 1
            lateness.skippedTicks += skipped
            let late = (now - due).milliseconds
            guard late > WakeLateness.thresholdMilliseconds else { return }
            lateness.lateWakes += 1
            lateness.longestMilliseconds = max(lateness.longestMilliseconds, late)
            lateness.lateMilliseconds += max(0, (now - max(due, countedUntil)).milliseconds)
            countedUntil = max(countedUntil, now)
        }
    }

    private let state = Mutex(State())
    private let parent: WakeMeter?

    /// - Parameter parent: records the same; nil for none.
    package init(parent: WakeMeter? = .process) { self.parent = parent }

    /// What was recorded so far.
    package var lateness: WakeLateness { state.withLock { $0.lateness } }

    /// What was recorded since the last call; `lateness` begins anew.
    package func take() -> WakeLateness {
        state.withLock { state in
            defer { state.lateness = WakeLateness() }
            return state.lateness
        }
    }

    /// A timer that was due at `due` runs at `now`; `skipped` ticks after it are left out.
    package func record(due: Instant, now: Instant, skipped: Int = 0) {
        state.withLock { $0.record(due: due, now: now, skipped: skipped) }
        parent?.record(due: due, now: now, skipped: skipped)
    }
}
