import CallBridge
import Synchronization

/// The events of one session on their way to its call, which knows when the call has dealt with all of them.
///
/// A reader that comes back for the next event has finished with the one before: so a simulation can wait until everybody
/// has heard what happened before it lets time go on.
final class FakeEventQueue: Sendable {
    private struct State {
        var events: [ProviderEvent] = []
        var reader: CheckedContinuation<ProviderEvent?, Never>?
        var idlers: [CheckedContinuation<Void, Never>] = []
        var isRead = false
        var isFinished = false

        /// Whether nobody has anything left to do.
        var isSettled: Bool { !isRead || (events.isEmpty && (reader != nil || isFinished)) }

        mutating func takeIdlers() -> [CheckedContinuation<Void, Never>] {
            guard isSettled else { return [] }
            defer { idlers = [] }
            return idlers
        }
    }

    private let state = Mutex(State())

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
        let reader = state.withLock { state -> CheckedContinuation<ProviderEvent?, Never>? in
            guard !state.isFinished else { return nil }
            guard let reader = state.reader else {
                state.events.append(event)
                return nil
            }
            state.reader = nil
            return reader
        }
        reader?.resume(returning: event)
    }

    /// What was pushed is still read; nothing follows.
    func finish() {
        let (reader, idlers) = state.withLock { state in
            state.isFinished = true
            defer { state.reader = nil }
            return (state.reader, state.takeIdlers())
        }
        reader?.resume(returning: nil)
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
