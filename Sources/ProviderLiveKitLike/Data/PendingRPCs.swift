import CallBridge
import MediaCore

/// The remote procedure calls that we have made, and when they are given up. A value.
struct PendingRPCs {
    /// Seconds for the other side to say that it has the request.
    static let acknowledgement = 7.0

    private struct Entry {
        var recipient: String
        var command: CommandID
        /// Nil once acknowledged.
        var acknowledgeBy: MediaTime?
        var answerBy: MediaTime

        var deadline: MediaTime { min(acknowledgeBy ?? answerBy, answerBy) }
    }

    private var entries: [String: Entry] = [:]

    init() {}

    /// Nobody is waited for any more.
    var isEmpty: Bool { entries.isEmpty }

    /// When the next one is given up.
    var deadline: MediaTime? { entries.values.lazy.map(\.deadline).min() }

    mutating func begin(_ id: String, to recipient: String, timeout: Double, for command: CommandID, now: MediaTime) {
        entries[id] = Entry(
            recipient: recipient, command: command, acknowledgeBy: now.advanced(seconds: Self.acknowledgement),
            answerBy: now.advanced(seconds: timeout))
    }

    /// Only the one who was called can acknowledge or answer.
    mutating func acknowledge(_ id: String, by identity: String) {
        guard entries[id]?.recipient == identity else { return }
        entries[id]?.acknowledgeBy = nil
    }

    /// Who waits for the answer; nil where nobody does.
    mutating func answer(_ id: String, by identity: String) -> CommandID? {
        guard entries[id]?.recipient == identity else { return nil }
        return forget(id)
    }

    mutating func forget(_ id: String) -> CommandID? { entries.removeValue(forKey: id)?.command }

    /// What is given up now, and why, in the order in which it was begun.
    mutating func expire(now: MediaTime) -> [(command: CommandID, error: RPCError)] {
        guard let deadline, deadline <= now else { return [] }
        let due = entries.filter { $0.value.deadline <= now }
        for id in due.keys { entries[id] = nil }
        return due.values.sorted { $0.command < $1.command }
            .map { ($0.command, $0.answerBy <= now ? .responseTimeout : .connectionTimeout) }
    }

    /// Who waits for one who has left.
    mutating func recipientLeft(_ identity: String) -> [CommandID] {
        let gone = entries.filter { $0.value.recipient == identity }
        for id in gone.keys { entries[id] = nil }
        return gone.values.map(\.command).sorted()
    }

    /// Everybody who waits.
    mutating func removeAll() -> [CommandID] {
        defer { entries = [:] }
        return entries.values.map(\.command).sorted()
    }
}
