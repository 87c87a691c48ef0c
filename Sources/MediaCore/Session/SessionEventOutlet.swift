import Synchronization

/// The events of one session on their way to its owner, in order. They wait until the owner has said how it takes them.
final class SessionEventOutlet: Sendable {
    private struct State {
        var waiting: [MediaSessionEvent] = []
        var hasEnded = false
        var handler: (@Sendable (MediaSessionEvent?) -> Void)?
        var stream: AsyncStream<MediaSessionEvent>?

        mutating func hand(to handler: @escaping @Sendable (MediaSessionEvent?) -> Void) {
            for event in waiting { handler(event) }
            waiting = []
            if hasEnded { handler(nil) } else { self.handler = handler }
        }
    }

    private let state = Mutex(State())

    func yield(_ event: MediaSessionEvent) {
        state.withLock { state in
            if let handler = state.handler {
                handler(event)
            } else if !state.hasEnded {
                state.waiting.append(event)
            }
        }
    }

    func finish() {
        state.withLock { state in
            state.hasEnded = true
            state.handler?(nil)
            state.handler = nil
        }
    }

    /// From now on they go to `handler`, those first that have waited, and nil as the last.
    ///
    /// - Parameter handler: called on the session's loop, with what has waited at once; one call at a time. Must not call the
    ///   session.
    func hand(to handler: @escaping @Sendable (MediaSessionEvent?) -> Void) {
        state.withLock { $0.hand(to: handler) }
    }

    /// From now on they go into a stream; always the same one.
    var stream: AsyncStream<MediaSessionEvent> {
        state.withLock { state in
            if let stream = state.stream { return stream }
            let (stream, continuation) = AsyncStream.makeStream(of: MediaSessionEvent.self)
            state.stream = stream
            state.hand { event in
                if let event { continuation.yield(event) } else { continuation.finish() }
            }
            return stream
        }
    }
}
