/// Where a client stands.
public enum ClientPhase: String, Sendable, Hashable, CaseIterable {
    /// Never started.
    case idle
    /// A start is under way.
    case starting
    /// Conversations and calls may be used; the connection to the service may be away for a while.
    case ready
    /// A stop is under way.
    case stopping
    /// Stopped, or a start failed. It may be started again.
    case stopped
    /// A fatal error has happened. Final.
    case failed
}

/// A token by which the service knows us. Kept out of logs.
public struct ClientToken: Sendable, Hashable {
    /// As it is sent.
    public var value: String
    /// How long it is good for, milliseconds from when it was handed out; nil where nobody has said.
    public var validFor: Int?

    /// A token and how long it is good for.
    public init(_ value: String, validFor: Int? = nil) {
        self.value = value
        self.validFor = validFor
    }
}

/// Why a connection to the service could not be had.
package enum LinkFailure: Error, Sendable, Hashable {
    /// The token was refused.
    case unauthorized(String)
    /// Nothing answers, or not in time, or the service is overloaded.
    case unreachable(String)
    /// It answers, and not in words that we know.
    case incompatible(String)
}

/// Timers of a client. Setting one again replaces it.
package enum ClientTimer: Int, Sendable, Hashable, CaseIterable {
    /// A start takes too long.
    case start
    /// The next attempt to connect.
    case retry
    /// The token is used up soon.
    case renewal
}

extension ClientMachine {
    /// What goes in.
    package enum Input: Sendable {
        /// `waiter` gets an answer, once.
        case start(waiter: Int)
        case stop(waiter: Int)
        /// The application has a new token.
        case setToken(ClientToken)
        /// The token source's answer to `fetchToken`.
        case token(Result<ClientToken, ClientError>, ticket: Int)
        /// The connection stands, and its first words were heard.
        case connected(attempt: Int)
        case connectFailed(LinkFailure, attempt: Int)
        /// A connection that stood is gone.
        case lost(attempt: Int)
        /// The service refuses our token, while the connection may stand.
        case unauthorized(attempt: Int)
        /// The connection that was to be released is gone, and nothing more comes of it.
        case released(attempt: Int)
        case timer(ClientTimer, number: Int)
        /// Nothing works any more.
        case fatal(ClientError)
    }

    /// What is to be done.
    package enum Action: Sendable {
        /// Answer with `token`.
        case fetchToken(ticket: Int)
        /// Answer with `connected` or `connectFailed`, and later with `lost`.
        case connect(ClientToken, attempt: Int)
        /// Let the attempt, or the connection that came of it, go; answer with `released`.
        case disconnect(attempt: Int)
        /// Requests carry this token from now on.
        case useToken(ClientToken)
        case setTimer(ClientTimer, number: Int, milliseconds: Int)
        case cancelTimer(ClientTimer)
        case answer(waiter: Int, Result<Void, ClientError>)
        /// Calls end, for this reason.
        case endCalls(ClientError)
        case report(Report)
    }

    /// What the application is told.
    package enum Report: Sendable, Hashable {
        case phase(ClientPhase)
        /// Whether the service can be reached.
        case link(isOnline: Bool)
        case initialized
        case deinitialized
        case error(ClientError)
    }
}

/// How long to wait before connecting again: 0.3 s, doubled up to 7 s, and up to a second of the client's own, so that not
/// all come back at once.
package struct ReconnectPace: Sendable, Hashable {
    private var random: UInt64
    private var failures = 0

    package init(seed: UInt64) { random = seed }

    /// Milliseconds until the next attempt.
    package mutating func next() -> Int {
        let base = min(7_000, 300 << min(failures, 5))
        failures += 1
        random &+= 0x9E37_79B9_7F4A_7C15
        var bits = random
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return base + Int((bits ^ (bits >> 31)) % 1_000)
    }

    /// The connection stands.
    package mutating func reset() { failures = 0 }
}
