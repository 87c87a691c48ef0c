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

        /// A summary from its parts.
        public init(events: Int, violations: [String]) {
            self.events = events
            self.violations = violations
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

    /// - Parameters:
    ///   - keeps: whether `events` holds what was written; a server that runs for months hands it on only.
    ///   - sink: gets every event in order, one at a time. It must not write to this journal.
    public init(keeps: Bool = true, sink: @escaping @Sendable (JournalEvent) -> Void = { _ in }) {
        self.keeps = keeps
        state = Mutex(State(sinks: [sink]))
    }

    /// One more gets every event from now on, in order, one at a time. It must not write to this journal.
    public func attach(_ sink: @escaping @Sendable (JournalEvent) -> Void) {
        state.withLock { $0.sinks.append(sink) }
    }

    /// A journal that is also written to a file, which is made or emptied. Throws what keeps it from being written.
    public convenience init(path: String) throws {
        let file = try JournalOutput(path: path)
        self.init { file.write($0) }
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
            return Summary(events: state.written, violations: state.violations.map(\.description))
        }
    }

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

/// A file of lines, unbuffered: what was written is there when the process dies.
final class JournalOutput: Sendable {
    private let handle: FileHandle

    init(path: String) throws {
        guard FileManager.default.createFile(atPath: path, contents: nil),
            let handle = FileHandle(forWritingAtPath: path)
        else { throw JournalOutputError(path: path) }
        self.handle = handle
    }

    func write(_ event: JournalEvent) {
        // A disk that fills up must not end a call.
        try? handle.write(contentsOf: Data((JournalFile.line(event) + "\n").utf8))
    }
}

/// A journal's file can't be written.
public struct JournalOutputError: Error, Sendable, CustomStringConvertible {
    /// The file.
    public var path: String

    /// Names the file.
    public var description: String { "the journal \(path) can't be written; is its folder there and writable?" }
}
