extension ClientMachine {
    /// Where the machine stands; each case holds what is so then.
    enum State: Sendable {
        case idle
        case starting(Starting)
        case ready(Session)
        case stopping(Stopping)
        case stopped
        case failed(ClientError)

        var phase: ClientPhase {
            switch self {
            case .idle: .idle
            case .starting: .starting
            case .ready: .ready
            case .stopping: .stopping
            case .stopped: .stopped
            case .failed: .failed
            }
        }
    }

    /// A start that is under way.
    struct Starting: Sendable {
        enum Stage: Sendable {
            case token(ticket: Int)
            case connecting(attempt: Int)
            case waiting
        }

        var stage: Stage
        var waiters: [Int]
        var token: ClientToken?
        /// What the latest attempt failed of.
        var reason = "the service has not answered"
    }

    /// A client that works.
    struct Session: Sendable {
        enum Link: Sendable {
            case online(attempt: Int)
            case connecting(attempt: Int)
            /// For the next attempt.
            case waiting
            /// Nothing can be tried before there is another token.
            case unauthorized
        }

        enum Renewal: Sendable {
            case none
            case fetching(ticket: Int)
            /// The source has none: the application has to set one.
            case needed
        }

        var link: Link
        var token: ClientToken
        var renewal = Renewal.none

        /// The connection, or the attempt at one, that there is.
        var attempt: Int? {
            switch link {
            case .online(let attempt), .connecting(let attempt): attempt
            case .waiting, .unauthorized: nil
            }
        }
    }

    /// A connection is being released.
    struct Stopping: Sendable {
        var attempt: Int
        var waiters: [Int] = []
        /// Who wants a start after it.
        var starters: [Int] = []
        /// Why the client is of no use after it; nil where it may be started again.
        var failure: ClientError?
    }
}
