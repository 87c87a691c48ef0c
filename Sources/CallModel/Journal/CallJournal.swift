import Foundation
import Synchronization

/// A journal that is being written: checks every event, keeps it, and hands it on.
///
/// A violation becomes an event of its own, right behind the one that caused it.
public final class CallJournal: Sendable {
    /// What a journal comes to.
    public struct Summary: Sendable, Hashable, Codable {
        /// Lines, violations included.
        public var events: Int
        /// What breaks a rule, one sentence each.
        public var violations: [String]
        /// Why the file is not whole, with the remedy; nil where it is, or there is none.
        public var failure: String?

        /// A summary from its parts.
        public init(events: Int, violations: [String], failure: String? = nil) {
            self.events = events
            self.violations = violations
            self.failure = failure
        }
    }

    private struct State {
        var checker = JournalChecker()
        var events: [JournalEvent] = []
        var violations: [JournalViolation] = []
        var written = 0
        var isFinished = false
        var sinks: [@Sendable (JournalEvent) -> Void]
    }

    private let state: Mutex<State>
    private let keeps: Bool
    private let output: JournalOutput?

    /// - Parameters:
    ///   - keeps: whether `events` holds what was written; a server that runs for months hands it on only.
    ///   - sink: gets every event in order, one at a time. It must not write to this journal.
    public init(keeps: Bool = true, sink: @escaping @Sendable (JournalEvent) -> Void = { _ in }) {
        self.keeps = keeps
        output = nil
        state = Mutex(State(sinks: [sink]))
    }

    /// A journal that is also written to a file, which is made or emptied. Throws what keeps it from being written.
    ///
    /// What keeps it from being written later doesn't end the call; `failure` and the summary name it.
    ///
    /// - Parameters:
    ///   - keeps: whether `events` holds what was written.
    ///   - onFailure: is told at once, from whoever writes, and once only.
    public init(
        path: String, keeps: Bool = true, onFailure: @escaping @Sendable (JournalOutputError) -> Void = { _ in }
    ) throws {
        let file = try JournalOutput(path: path, onFailure: onFailure)
        self.keeps = keeps
        output = file
        state = Mutex(State(sinks: [{ file.write($0) }]))
    }

    /// One more gets every event from now on, in order, one at a time. It must not write to this journal.
    public func attach(_ sink: @escaping @Sendable (JournalEvent) -> Void) {
        state.withLock { $0.sinks.append(sink) }
    }

    /// Writes events.
    public func write(_ events: [JournalEvent]) {
        state.withLock { state in
            for event in events {
                append(event, &state)
                for violation in state.checker.check(event) { note(violation, caused: event, &state) }
            }
        }
    }

    /// Writes one event.
    public func write(_ event: JournalEvent) { write([event]) }

    /// No event follows: calls that have not ended are violations. Returns what the journal comes to.
    @discardableResult public func finish() -> Summary {
        state.withLock { state in
            if !state.isFinished, let last = state.events.last {
                for violation in state.checker.finish() { note(violation, caused: last, &state) }
            }
            state.isFinished = true
            return Summary(
                events: state.written, violations: state.violations.map(\.description), failure: failure?.description)
        }
    }

    /// What keeps the file from being written; nil where nothing does, or there is none.
    public var failure: JournalOutputError? { output?.failure }

    /// What was written, in order.
    public var events: [JournalEvent] { state.withLock { $0.events } }

    /// What breaks a rule.
    public var violations: [JournalViolation] { state.withLock { $0.violations } }

    private func note(_ violation: JournalViolation, caused event: JournalEvent, _ state: inout State) {
        state.violations.append(violation)
        var cause = event
        cause.callId = violation.callId
        append(JournalEvent(violation, caused: cause, number: state.violations.count), &state)
    }

    private func append(_ event: JournalEvent, _ state: inout State) {
        state.written += 1
        if keeps || state.events.isEmpty { state.events.append(event) }
        for sink in state.sinks { sink(event) }
    }
}
