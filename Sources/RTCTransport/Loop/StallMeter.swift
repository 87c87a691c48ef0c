import RTCWire
import Synchronization

/// How long one piece of work has held an event loop.
package struct LoopHold: Sendable, Hashable {
    /// What set the loop to work.
    package enum Source: String, Sendable, Hashable, CaseIterable {
        /// A signalling message or an HTTP request.
        case message
        /// A datagram.
        case datagram
        /// All datagrams of one read, and what was sent because of them.
        case batch
        /// A deadline.
        case timer
    }

    package var source: Source
    /// Which message, datagram or deadline: one of few names, and nothing that a client has chosen.
    package var kind: String
    /// What the work itself took: without the time in which a busy machine ran other threads.
    package var held: Interval
    /// From beginning to end.
    package var wall: Interval

    package init(source: Source, kind: String, held: Interval, wall: Interval) {
        self.source = source
        self.kind = kind
        self.held = held
        self.wall = wall
    }
}

/// The longest time that one message, datagram or deadline has held an event loop. Any thread may write and read.
///
/// While a loop is held, everybody on it waits: a hold above `limit` is handed to `report`, each kind once a second at
/// the most.
package final class StallMeter: Sendable {
    /// What one message or datagram may take at the most, as the compiler has made this program. Code that is not
    /// optimized takes five to ten times as long, and is none that people call through.
    package static var limit: Interval { isOptimized ? .milliseconds(50) : .milliseconds(250) }

    private struct State {
        var longest: [String: LoopHold] = [:]
        var reported: [String: Instant] = [:]
        /// Holds above the limit.
        var stalls = 0
    }

    private let state = Mutex(State())
    private let report: @Sendable (LoopHold) -> Void

    package init(report: @escaping @Sendable (LoopHold) -> Void = { _ in }) { self.report = report }

    /// Does `body` and notes how long it took.
    package func measure<Result>(
        _ source: LoopHold.Source, _ kind: String, _ body: () throws -> Result
    ) rethrows -> Result {
        let start = ThreadUsage.now()
        defer { note(source, kind, since: start) }
        return try body()
    }

    /// Does `body`, which is handed the time at which it begins, and notes how long it took.
    package func measure<Result>(
        _ source: LoopHold.Source, _ kind: String, _ body: (Instant) throws -> Result
    ) rethrows -> Result {
        let start = ThreadUsage.now()
        defer { note(source, kind, since: start) }
        return try body(start.wall)
    }

    /// Notes that the work of that kind, begun at `start` on this thread, has ended.
    package func note(_ source: LoopHold.Source, _ kind: String, since start: ThreadUsage) {
        let end = ThreadUsage.now()
        note(
            LoopHold(source: source, kind: kind, held: end.held(since: start), wall: end.wall - start.wall),
            at: end.wall)
    }

    package func note(_ hold: LoopHold, at now: Instant) {
        let isNews = state.withLock { state in
            if hold.held > state.longest[hold.kind]?.held ?? .zero { state.longest[hold.kind] = hold }
            guard hold.held > Self.limit else { return false }
            state.stalls += 1
            if let last = state.reported[hold.kind], now - last < .seconds(1) { return false }
            state.reported[hold.kind] = now
            return true
        }
        if isNews { report(hold) }
    }

    // MARK: Reading

    /// The longest hold of each kind.
    package var holds: [LoopHold] {
        state.withLock { $0.longest.values.sorted { ($1.held, $0.kind) < ($0.held, $1.kind) } }
    }

    /// The longest hold of a source; nil where nothing of it has come.
    package func longest(_ source: LoopHold.Source) -> LoopHold? { holds.first { $0.source == source } }

    /// How often one message, datagram or deadline held its loop longer than `limit`.
    package var stalls: Int { state.withLock { $0.stalls } }

    /// Forgets what has been.
    package func reset() { state.withLock { $0 = State() } }

    private static let isOptimized: Bool = {
        var result = true
        assert(
            {
                result = false
                return true
            }())
        return result
    }()
}
