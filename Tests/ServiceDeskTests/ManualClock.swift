import ServiceDesk
import Synchronization

/// Time that a test moves.
final class ManualClock: DeskClock {
    private struct State {
        var now: Int64
        var number = 0
        var sleepers: [Int: (deadline: Int64, continuation: CheckedContinuation<Void, any Error>)] = [:]
        var waiters: [(after: Int64, continuation: CheckedContinuation<Int64, Never>)] = []
        var cancelled: Set<Int> = []
    }

    private let state: Mutex<State>

    init(_ now: Int64 = 1_777_636_800_000) { state = Mutex(State(now: now)) }

    var now: Int64 { state.withLock { $0.now } }

    func wait(until deadline: Int64) async throws {
        let number = state.withLock { state in
            state.number += 1
            return state.number
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver: Result<Void, any Error>? = state.withLock { state in
                    if state.cancelled.remove(number) != nil { return .failure(CancellationError()) }
                    if deadline <= state.now { return .success(()) }
                    state.sleepers[number] = (deadline, continuation)
                    return nil
                }
                if let isOver { continuation.resume(with: isOver) } else { tell() }
            }
        } onCancel: {
            let sleeper = state.withLock { state in
                let found = state.sleepers.removeValue(forKey: number)
                if found == nil { state.cancelled.insert(number) }
                return found
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// The earliest deadline after a time that somebody sleeps until; waits for there to be one.
    func sleeper(after: Int64) async -> Int64 {
        await withCheckedContinuation { continuation in
            state.withLock { $0.waiters.append((after, continuation)) }
            tell()
        }
    }

    /// It is so late now; whoever slept until then wakes.
    func advance(to deadline: Int64) {
        let due = state.withLock { state in
            state.now = max(state.now, deadline)
            let due = state.sleepers.filter { $0.value.deadline <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        for continuation in due { continuation.resume() }
    }

    private func tell() {
        let told = state.withLock { state -> [(CheckedContinuation<Int64, Never>, Int64)] in
            var told: [(CheckedContinuation<Int64, Never>, Int64)] = []
            state.waiters.removeAll { waiter in
                guard let next = state.sleepers.values.map(\.deadline).filter({ $0 > waiter.after }).min() else {
                    return false
                }
                told.append((waiter.continuation, next))
                return true
            }
            return told
        }
        for (continuation, deadline) in told { continuation.resume(returning: deadline) }
    }
}

/// The same numbers for the same seed (SplitMix64).
struct TestGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
