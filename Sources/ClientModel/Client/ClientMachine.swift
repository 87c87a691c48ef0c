/// A client's life as a value: starts and stops from anywhere, a token source, a connection that comes and goes, and timers
/// go in; what is to be done comes out.
///
/// Every start and every stop is answered once. There is one connection at most: the next is opened when the former is
/// released. Losing the connection is no error; a refused token is none that ends anything.
package struct ClientMachine: Sendable {
    private(set) var state = State.idle
    private(set) var pace: ReconnectPace
    /// Set by the application; preferred to the source until it is refused.
    private var given: ClientToken?
    private var number = 0
    private var timers: [ClientTimer: Int] = [:]
    private var isInitialized = false
    private let startTimeout: Int

    /// - Parameters:
    ///   - startTimeout: milliseconds.
    ///   - seed: of the pauses before connecting again.
    package init(startTimeout: Int, seed: UInt64) {
        self.startTimeout = startTimeout
        pace = ReconnectPace(seed: seed)
    }

    package var phase: ClientPhase { state.phase }

    /// Whether the service can be reached now.
    package var isOnline: Bool {
        if case .ready(let session) = state, case .online = session.link { true } else { false }
    }

    package mutating func handle(_ input: Input, into actions: inout [Action]) {
        switch input {
        case .start(let waiter): start(waiter, into: &actions)
        case .stop(let waiter): stop(waiter, into: &actions)
        case .setToken(let token): set(token, into: &actions)
        case .token(let answer, let ticket): fetched(answer, ticket, into: &actions)
        case .connected(let attempt): connected(attempt, into: &actions)
        case .connectFailed(let failure, let attempt): connectFailed(failure, attempt, into: &actions)
        case .lost(let attempt): lost(attempt, into: &actions)
        case .unauthorized(let attempt): unauthorized(attempt, into: &actions)
        case .released(let attempt): released(attempt, into: &actions)
        case .timer(let timer, let number): fired(timer, number, into: &actions)
        case .fatal(let error): fail(error, into: &actions)
        }
    }

    // MARK: Start and stop

    private mutating func start(_ waiter: Int, into actions: inout [Action]) {
        switch state {
        case .idle, .stopped: begin([waiter], into: &actions)
        case .starting(var starting):
            starting.waiters.append(waiter)
            state = .starting(starting)
        case .ready: actions.append(.answer(waiter: waiter, .success(())))
        case .stopping(var stopping):
            if let failure = stopping.failure {
                actions.append(.answer(waiter: waiter, .failure(failure)))
            } else {
                stopping.starters.append(waiter)
                state = .stopping(stopping)
            }
        case .failed(let error): actions.append(.answer(waiter: waiter, .failure(error)))
        }
    }

    private mutating func begin(_ waiters: [Int], into actions: inout [Action]) {
        pace.reset()
        set(.start, startTimeout, into: &actions)
        if let given {
            let attempt = next()
            move(
                to: .starting(Starting(stage: .connecting(attempt: attempt), waiters: waiters, token: given)), &actions)
            actions.append(.connect(given, attempt: attempt))
        } else {
            let ticket = next()
            move(to: .starting(Starting(stage: .token(ticket: ticket), waiters: waiters)), &actions)
            actions.append(.fetchToken(ticket: ticket))
        }
    }

    private mutating func stop(_ waiter: Int, into actions: inout [Action]) {
        let stopped = ClientError(.stopped, "the client was stopped before it was ready; start it again")
        switch state {
        case .idle, .stopped, .failed: actions.append(.answer(waiter: waiter, .success(())))
        case .starting(let starting):
            answer(starting.waiters, .failure(stopped), &actions)
            release(starting.attempt, waiters: [waiter], into: &actions)
        case .ready(let session):
            actions.append(.endCalls(ClientError(.stopped, "the client was stopped; its calls have ended")))
            release(session.attempt, waiters: [waiter], into: &actions)
        case .stopping(var stopping):
            answer(stopping.starters, .failure(stopped), &actions)
            stopping.starters = []
            stopping.waiters.append(waiter)
            state = .stopping(stopping)
        }
    }

    /// Lets the connection go, if there is one, and comes to rest after it.
    private mutating func release(
        _ attempt: Int?, waiters: [Int] = [], failure: ClientError? = nil, into actions: inout [Action]
    ) {
        for timer in ClientTimer.allCases { cancel(timer, into: &actions) }
        guard let attempt else {
            return rest(Stopping(attempt: 0, waiters: waiters, failure: failure), into: &actions)
        }
        move(to: .stopping(Stopping(attempt: attempt, waiters: waiters, failure: failure)), &actions)
        actions.append(.disconnect(attempt: attempt))
    }

    private mutating func released(_ attempt: Int, into actions: inout [Action]) {
        guard case .stopping(let stopping) = state, stopping.attempt == attempt else { return }
        rest(stopping, into: &actions)
    }

    private mutating func rest(_ stopping: Stopping, into actions: inout [Action]) {
        if let failure = stopping.failure { move(to: .failed(failure), &actions) } else { move(to: .stopped, &actions) }
        if isInitialized {
            isInitialized = false
            actions.append(.report(.deinitialized))
        }
        answer(stopping.waiters, .success(()), &actions)
        if let failure = stopping.failure {
            answer(stopping.starters, .failure(failure), &actions)
        } else if !stopping.starters.isEmpty {
            begin(stopping.starters, into: &actions)
        }
    }

    /// A start that came to nothing; the client may be started again.
    private mutating func abandon(_ starting: Starting, _ error: ClientError, into actions: inout [Action]) {
        answer(starting.waiters, .failure(error), &actions)
        release(starting.attempt, into: &actions)
    }

    private mutating func fail(_ error: ClientError, into actions: inout [Action]) {
        switch state {
        case .failed: return
        case .stopping(var stopping):
            guard stopping.failure == nil else { return }
            actions.append(.report(.error(error)))
            answer(stopping.starters, .failure(error), &actions)
            stopping.starters = []
            stopping.failure = error
            state = .stopping(stopping)
        case .idle, .stopped:
            actions.append(.report(.error(error)))
            release(nil, failure: error, into: &actions)
        case .starting(let starting):
            actions.append(.report(.error(error)))
            answer(starting.waiters, .failure(error), &actions)
            release(starting.attempt, failure: error, into: &actions)
        case .ready(let session):
            actions += [.report(.error(error)), .endCalls(error)]
            release(session.attempt, failure: error, into: &actions)
        }
    }

    // MARK: The connection

    private mutating func connected(_ attempt: Int, into actions: inout [Action]) {
        switch state {
        case .starting(let starting):
            guard starting.attempt == attempt, let token = starting.token else { return }
            cancel(.start, into: &actions)
            isInitialized = true
            move(to: .ready(Session(link: .online(attempt: attempt), token: token)), &actions)
            actions += [.report(.initialized), .report(.link(isOnline: true))]
            answer(starting.waiters, .success(()), &actions)
            scheduleRenewal(of: token, into: &actions)
        case .ready(var session):
            guard case .connecting(attempt) = session.link else { return }
            session.link = .online(attempt: attempt)
            state = .ready(session)
            actions.append(.report(.link(isOnline: true)))
        case .idle, .stopping, .stopped, .failed: return
        }
        pace.reset()
    }

    private mutating func connectFailed(_ failure: LinkFailure, _ attempt: Int, into actions: inout [Action]) {
        switch state {
        case .starting(var starting) where starting.attempt == attempt:
            starting.stage = .waiting
            switch failure {
            case .unauthorized(let reason):
                given = nil
                abandon(starting, Self.refusal(reason, "set another one and start again"), into: &actions)
            case .unreachable(let reason):
                starting.reason = reason
                state = .starting(starting)
                set(.retry, pace.next(), into: &actions)
            case .incompatible(let reason):
                state = .starting(starting)
                fail(ClientError(.incompatibleServer, reason), into: &actions)
            }
        case .ready(var session):
            guard case .connecting(attempt) = session.link else { return }
            session.link = .waiting
            switch failure {
            case .unauthorized(let reason):
                session.link = .unauthorized
                state = .ready(session)
                renew(reason, into: &actions)
            case .unreachable:
                state = .ready(session)
                set(.retry, pace.next(), into: &actions)
            case .incompatible(let reason):
                state = .ready(session)
                fail(ClientError(.incompatibleServer, reason), into: &actions)
            }
        case .starting, .idle, .stopping, .stopped, .failed: return
        }
    }

    private mutating func lost(_ attempt: Int, into actions: inout [Action]) {
        guard case .ready(var session) = state, case .online(attempt) = session.link else { return }
        session.link = .waiting
        state = .ready(session)
        actions.append(.report(.link(isOnline: false)))
        set(.retry, pace.next(), into: &actions)
    }

    private mutating func connect(_ token: ClientToken, into actions: inout [Action]) {
        let attempt = next()
        switch state {
        case .starting(var starting):
            starting.stage = .connecting(attempt: attempt)
            starting.token = token
            state = .starting(starting)
        case .ready(var session):
            session.link = .connecting(attempt: attempt)
            state = .ready(session)
        case .idle, .stopping, .stopped, .failed: return
        }
        cancel(.retry, into: &actions)
        actions.append(.connect(token, attempt: attempt))
    }

    // MARK: The token

    private mutating func set(_ token: ClientToken, into actions: inout [Action]) {
        given = token
        switch state {
        case .starting(var starting):
            if case .token = starting.stage { return connect(token, into: &actions) }
            starting.token = token
            state = .starting(starting)
        case .ready: adopt(token, into: &actions)
        case .idle, .stopping, .stopped, .failed: return
        }
    }

    private mutating func fetched(
        _ answer: Result<ClientToken, ClientError>, _ ticket: Int, into actions: inout [Action]
    ) {
        switch state {
        case .starting(let starting):
            guard case .token(ticket) = starting.stage else { return }
            switch answer {
            case .success(let token): connect(token, into: &actions)
            case .failure(let error): abandon(starting, error, into: &actions)
            }
        case .ready(var session):
            guard case .fetching(ticket) = session.renewal else { return }
            switch answer {
            case .success(let token): adopt(token, into: &actions)
            case .failure(let error):
                session.renewal = .needed
                state = .ready(session)
                actions.append(.report(.error(error)))
            }
        case .idle, .stopping, .stopped, .failed: return
        }
    }

    /// Everything goes on with a new token: calls, and the connection where it stands.
    private mutating func adopt(_ token: ClientToken, into actions: inout [Action]) {
        guard case .ready(var session) = state else { return }
        session.token = token
        session.renewal = .none
        let isWaiting = if case .unauthorized = session.link { true } else { false }
        state = .ready(session)
        actions.append(.useToken(token))
        scheduleRenewal(of: token, into: &actions)
        if isWaiting { connect(token, into: &actions) }
    }

    private mutating func unauthorized(_ attempt: Int, into actions: inout [Action]) {
        guard case .ready(let session) = state, session.attempt == attempt else { return }
        renew("the service refused a request", into: &actions)
    }

    /// Says once that the token is of no use, and asks the source for another one.
    private mutating func renew(_ reason: String?, into actions: inout [Action]) {
        guard case .ready(var session) = state, case .none = session.renewal else { return }
        let ticket = next()
        session.renewal = .fetching(ticket: ticket)
        state = .ready(session)
        if let reason {
            given = nil
            actions.append(.report(.error(Self.refusal(reason, "set another one; calls go on"))))
        }
        actions.append(.fetchToken(ticket: ticket))
    }

    private mutating func scheduleRenewal(of token: ClientToken, into actions: inout [Action]) {
        guard let validFor = token.validFor else { return cancel(.renewal, into: &actions) }
        // In good time, and not all the time where tokens are short-lived.
        set(.renewal, max(1_000, validFor - min(60_000, validFor / 4)), into: &actions)
    }

    private static func refusal(_ reason: String, _ remedy: String) -> ClientError {
        ClientError(.authorization, "the token was refused (\(reason)); \(remedy)")
    }

    // MARK: Timers

    private mutating func fired(_ timer: ClientTimer, _ number: Int, into actions: inout [Action]) {
        guard timers[timer] == number else { return }
        timers[timer] = nil
        switch (timer, state) {
        case (.start, .starting(let starting)):
            let seconds = Double(startTimeout) / 1_000
            let error = ClientError(
                .unreachable,
                "the client was not ready within \(seconds) s: \(starting.reason); check server and network")
            abandon(starting, error, into: &actions)
        case (.retry, .starting(let starting)):
            if case .waiting = starting.stage, let token = starting.token { connect(token, into: &actions) }
        case (.retry, .ready(let session)):
            if case .waiting = session.link { connect(session.token, into: &actions) }
        case (.renewal, .ready): renew(nil, into: &actions)
        default: return
        }
    }

    private mutating func set(_ timer: ClientTimer, _ milliseconds: Int, into actions: inout [Action]) {
        let number = next()
        timers[timer] = number
        actions.append(.setTimer(timer, number: number, milliseconds: milliseconds))
    }

    private mutating func cancel(_ timer: ClientTimer, into actions: inout [Action]) {
        if timers.removeValue(forKey: timer) != nil { actions.append(.cancelTimer(timer)) }
    }

    private mutating func next() -> Int {
        number += 1
        return number
    }

    private mutating func move(to next: State, _ actions: inout [Action]) {
        let before = phase
        state = next
        if phase != before { actions.append(.report(.phase(phase))) }
    }

    private func answer(_ waiters: [Int], _ result: Result<Void, ClientError>, _ actions: inout [Action]) {
        for waiter in waiters { actions.append(.answer(waiter: waiter, result)) }
    }
}

extension ClientMachine.Starting {
    /// The attempt at a connection that there is.
    fileprivate var attempt: Int? { if case .connecting(let attempt) = stage { attempt } else { nil } }
}
