import Synchronization

/// Hands every event of a call to any number of readers, from the moment each was made until the call ends.
///
/// What the call is at present is kept beside the readers under one lock: a reader that comes late is led by a present that
/// holds everything sent before, and misses nothing sent after.
final class EventHub: Sendable {
    /// A reader that falls this far behind loses the oldest events.
    static let capacity = 4096

    private struct State {
        var present: CallPresent
        var continuations: [Int: AsyncStream<CallEvent>.Continuation] = [:]
        var observers: [@Sendable (CallEvent) -> Void] = []
        var nextID = 0

        mutating func forgetReaders() {
            continuations.removeAll()
            observers.removeAll()
        }
    }

    private let state: Mutex<State>

    init(_ present: CallPresent) { state = Mutex(State(present: present)) }

    /// Adds a reader, which is first told of the present.
    func attach(_ continuation: AsyncStream<CallEvent>.Continuation) {
        let id: Int? = state.withLock { state in
            for event in state.present.events { continuation.yield(event) }
            guard !state.present.hasEnded else { return nil }
            state.nextID += 1
            state.continuations[state.nextID] = continuation
            return state.nextID
        }
        guard let id else { return continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
        }
    }

    /// Sends an event; `present` is what the call is after it. The event `ended` is the last.
    func send(_ event: CallEvent, present: CallPresent) {
        let (targets, observers) = state.withLock { state in
            state.present = present
            defer { if present.hasEnded { state.forgetReaders() } }
            return (Array(state.continuations.values), state.observers)
        }
        for observer in observers { observer(event) }
        for target in targets { target.yield(event) }
        if present.hasEnded { for target in targets { target.finish() } }
    }

    /// Calls `body` with the present and every event from now on, from within `send`. Only where no `send` can be under way.
    func observe(_ body: @escaping @Sendable (CallEvent) -> Void) {
        for event in state.withLock({ $0.present.events }) { body(event) }
        state.withLock { if !$0.present.hasEnded { $0.observers.append(body) } }
    }
}
