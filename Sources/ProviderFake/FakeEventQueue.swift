import CallBridge
import Synchronization

/// The events of one session on their way to its call, which knows when the call has dealt with all of them.
///
/// A reader that comes back for the next event has finished with the one before: so a simulation can wait until everybody
/// has heard what happened before it lets time go on. Nothing is handed out before `deliver`: a reader works beside the
/// simulation, which must stand still at the moment that the event is of.
final class FakeEventQueue: Sendable {
    private struct State {
        var events: [ProviderEvent] = []
        var reader: CheckedContinuation<ProviderEvent?, Never>?
        var idlers: [CheckedContinuation<Void, Never>] = []
        var isRead = false
        var isFinished = false

        /// Whether nobody has anything left to do.
        var isSettled: Bool { !isRead || (events.isEmpty && (reader != nil || isFinished)) }

        /// The reader, where one waits and there is something for them: an event, or the end.
        mutating func takeNext() -> (CheckedContinuation<ProviderEvent?, Never>?, ProviderEvent?) {
            guard let reader, !events.isEmpty || isFinished else { return (nil, nil) }
            self.reader = nil
            return (reader, events.isEmpty ? nil : events.removeFirst())
        }

        mutating func takeIdlers() -> [CheckedContinuation<Void, Never>] {
            guard isSettled else { return [] }
            defer { idlers = [] }
            return idlers
        }
    }

    private let state = Mutex(State())
    private let news: FakeNews?

    /// - Parameter news: is told that something waits to be handed out; nil hands everything out at once.
    init(_ news: FakeNews? = nil) { self.news = news }

    /// Everything that was pushed has been dealt with.
    var isSettled: Bool { state.withLock { $0.isSettled } }

    /// Nothing follows, and everything has been read.
    var isOver: Bool { state.withLock { $0.isFinished && $0.isSettled } }

    /// The events, for one reader.
    var stream: AsyncStream<ProviderEvent> {
        state.withLock { $0.isRead = true }
        return AsyncStream {
            await self.next()
        } onCancel: {
            self.abandon()
        }
    }

    func push(_ event: ProviderEvent) {
        let isTaken = state.withLock { state in
            if !state.isFinished { state.events.append(event) }
            return !state.isFinished
        }
        guard isTaken else { return }
        if let news { news.add(self) } else { deliver() }
    }

    /// Hands out what was pushed, to a reader who waits for it; one who comes later takes it then.
    func deliver() {
        let (reader, event) = state.withLock { state in state.takeNext() }
        reader?.resume(returning: event)
    }

    /// What was pushed is still read; nothing follows.
    func finish() {
        let ((reader, event), idlers) = state.withLock { state in
            state.isFinished = true
            let next = state.takeNext()
            return (next, state.takeIdlers())
        }
        reader?.resume(returning: event)
        for idler in idlers { idler.resume() }
    }

    /// Returns when everything that was pushed has been dealt with.
    func settle() async {
        await withCheckedContinuation { continuation in
            let isSettled = state.withLock { state in
                if !state.isSettled { state.idlers.append(continuation) }
                return state.isSettled
            }
            if isSettled { continuation.resume() }
        }
    }

    private func next() async -> ProviderEvent? {
        await withCheckedContinuation { continuation in
            let (event, isOver, idlers) = state.withLock {
                state -> (ProviderEvent?, Bool, [CheckedContinuation<Void, Never>]) in
                if !state.events.isEmpty { return (state.events.removeFirst(), true, []) }
                if state.isFinished { return (nil, true, state.takeIdlers()) }
                state.reader = continuation
                return (nil, false, state.takeIdlers())
            }
            if isOver { continuation.resume(returning: event) }
            for idler in idlers { idler.resume() }
        }
    }

    private func abandon() {
        state.withLock { $0.events = [] }
        finish()
    }
}

/// Queues in which something waits to be handed out.
final class FakeNews: Sendable {
    private let queues = Mutex<[FakeEventQueue]>([])

    var isEmpty: Bool { queues.withLock(\.isEmpty) }

    func add(_ queue: FakeEventQueue) { queues.withLock { $0.append(queue) } }

    /// Hands everything out; the queues that had something.
    func deliver() -> [FakeEventQueue] {
        let waiting = queues.withLock { queues in
            defer { queues = [] }
            return queues
        }
        for queue in waiting { queue.deliver() }
        return waiting
    }
}
