import OpenTokSignalling
import RTCWire

/// What a request was made for: says what its answer brings about.
enum RequestPurpose: Hashable, Sendable {
    case join
    case readState
    case publish(stream: String)
    case subscribe(stream: String, subscriber: String)
    /// Settles a command; the code is what a refusal without a better one becomes.
    case command(CommandID, ClientErrorCode)
    /// One of several signals of a command.
    case signal(CommandID)
    /// Nobody waits for it.
    case nothing
}

/// Requests that have not been answered, by transaction.
struct PendingRequests: Sendable {
    private struct Request: Sendable {
        var purpose: RequestPurpose
        var deadline: Instant
    }

    let limit: Interval
    private var requests: [String: Request] = [:]
    private var last = 0

    init(limit: Interval) { self.limit = limit }

    /// The transaction of a new request.
    mutating func add(_ purpose: RequestPurpose, now: Instant) -> String {
        last += 1
        let transaction = "c\(last)"
        requests[transaction] = Request(purpose: purpose, deadline: now + limit)
        return transaction
    }

    mutating func remove(_ transaction: String) -> RequestPurpose? {
        requests.removeValue(forKey: transaction)?.purpose
    }

    /// Time without the message transport does not count.
    mutating func postpone(now: Instant) {
        for transaction in requests.keys { requests[transaction]?.deadline = now + limit }
    }

    var deadline: Instant? { requests.values.lazy.map(\.deadline).min() }

    /// Takes out what was not answered in time, the oldest first.
    mutating func expire(now: Instant) -> [RequestPurpose] {
        guard let deadline, deadline <= now else { return [] }
        let overdue = requests.filter { $0.value.deadline <= now }
            .sorted { ($0.value.deadline, $0.key.count, $0.key) < ($1.value.deadline, $1.key.count, $1.key) }
        for (transaction, _) in overdue { requests[transaction] = nil }
        return overdue.map(\.value.purpose)
    }

    /// Commands that wait, for the end.
    mutating func removeCommands() -> [CommandID] {
        defer { requests = [:] }
        let commands = requests.values.compactMap { request -> CommandID? in
            switch request.purpose {
            case .command(let command, _), .signal(let command): command
            default: nil
            }
        }
        return Set(commands).sorted()
    }
}
