import CallBridge

/// The remote procedure calls that we have made, and when they are given up. A value; times in seconds.
struct RPCLedger {
    /// The longest request and answer, in bytes.
    static let longestPayload = 15_360
    /// For the other side to say that it has the request.
    static let acknowledgement = 7.0

    private struct Entry {
        var recipient: String
        /// Nil once acknowledged.
        var acknowledgeBy: Double?
        var answerBy: Double
    }

    private var entries: [String: Entry] = [:]

    init() {}

    /// Nobody is waited for any more.
    var isEmpty: Bool { entries.isEmpty }

    mutating func begin(_ id: String, to recipient: String, timeout: Double, now: Double) {
        entries[id] = Entry(
            recipient: recipient, acknowledgeBy: now + Self.acknowledgement, answerBy: now + timeout)
    }

    /// Only the one who was called can acknowledge or answer.
    mutating func acknowledge(_ id: String, by identity: String) {
        guard entries[id]?.recipient == identity else { return }
        entries[id]?.acknowledgeBy = nil
    }

    /// Whether the answer is awaited.
    mutating func answer(_ id: String, by identity: String) -> Bool {
        guard entries[id]?.recipient == identity else { return false }
        entries[id] = nil
        return true
    }

    mutating func forget(_ id: String) { entries[id] = nil }

    /// What is given up now, and why.
    mutating func expire(now: Double) -> [(id: String, error: RPCError)] {
        var expired: [(id: String, error: RPCError)] = []
        for (id, entry) in entries {
            if entry.answerBy <= now {
                expired.append((id, .responseTimeout))
            } else if let limit = entry.acknowledgeBy, limit <= now {
                expired.append((id, .connectionTimeout))
            }
        }
        for (id, _) in expired { entries[id] = nil }
        return expired
    }

    /// The calls to one who has left.
    mutating func recipientLeft(_ identity: String) -> [String] {
        let ids = entries.filter { $0.value.recipient == identity }.map(\.key)
        for id in ids { entries[id] = nil }
        return ids
    }

    /// Every open call.
    mutating func removeAll() -> [String] {
        defer { entries = [:] }
        return Array(entries.keys)
    }
}
