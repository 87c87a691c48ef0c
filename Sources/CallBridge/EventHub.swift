import Synchronization

/// Hands every element to each of any number of `AsyncStream`s, from the moment each was made until `finish`.
final class EventHub<Element: Sendable>: Sendable {
    /// A reader that falls this far behind loses the oldest elements.
    static var capacity: Int { 4096 }

    private struct State {
        var continuations: [Int: AsyncStream<Element>.Continuation] = [:]
        var observers: [@Sendable (Element) -> Void] = []
        var nextID = 0
        var isFinished = false
    }

    private let state = Mutex(State())

    /// Adds a reader, which first gets `replay`.
    func attach(_ continuation: AsyncStream<Element>.Continuation, replaying replay: [Element]) {
        for element in replay { continuation.yield(element) }
        let id: Int? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.continuations[state.nextID] = continuation
            return state.nextID
        }
        guard let id else { return continuation.finish() }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: id) }
        }
    }

    func send(_ element: Element) {
        let (targets, observers) = state.withLock { (Array($0.continuations.values), $0.observers) }
        for observer in observers { observer(element) }
        for target in targets { target.yield(element) }
    }

    /// Calls `body` with `replay` and every element from now on, from within `send`.
    func observe(_ body: @escaping @Sendable (Element) -> Void, replaying replay: [Element]) {
        for element in replay { body(element) }
        state.withLock { if !$0.isFinished { $0.observers.append(body) } }
    }

    func finish() {
        let targets = state.withLock { state in
            state.isFinished = true
            defer {
                state.continuations.removeAll()
                state.observers.removeAll()
            }
            return Array(state.continuations.values)
        }
        for target in targets { target.finish() }
    }
}
