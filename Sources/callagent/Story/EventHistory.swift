import Synchronization

/// What happened so far, for any number of readers: none misses what came before it looked.
final class EventHistory<Event: Sendable>: Sendable {
    private struct State {
        var events: [Event] = []
        var readers: [Int: AsyncStream<Event>.Continuation] = [:]
        var number = 0
    }

    private let state = Mutex(State())

    /// One more has happened.
    func note(_ event: Event) {
        state.withLock { state in
            state.events.append(event)
            for reader in state.readers.values { reader.yield(event) }
        }
    }

    /// How many have happened: where a reader begins who wants what comes from now on.
    var count: Int { state.withLock { $0.events.count } }

    /// All of them.
    var all: [Event] { state.withLock { $0.events } }

    /// What `match` makes of the first event, of those from a place on, that it makes something of. Nil where the task is
    /// cancelled before there is one.
    func first<Value>(from place: Int = 0, where match: (Event) throws -> Value?) async rethrows -> Value? {
        for await event in stream(from: place) { if let value = try match(event) { return value } }
        return nil
    }

    private func stream(from place: Int) -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(of: Event.self)
        let number = state.withLock { state in
            for event in state.events.dropFirst(place) { continuation.yield(event) }
            state.number += 1
            state.readers[state.number] = continuation
            return state.number
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.readers.removeValue(forKey: number) }
        }
        return stream
    }
}

extension EventHistory where Event: Equatable {
    /// Returns when it has happened; nil where the task is cancelled before.
    func until(_ event: Event, from place: Int = 0) async -> Event? {
        await first(from: place) { $0 == event ? $0 : nil }
    }
}
