public import CallBridge
public import ClientModel
public import ConversationModel
import Foundation
import Logging
import MediaCore

/// What a client is made with beside its configuration.
public struct ClientEnvironment: Sendable {
    /// Where tokens come from.
    public var tokens: any TokenSource
    /// What the client can do beside conversations. Registered before the client is made.
    public var modules = ModuleRegistry()
    /// Whether microphone and camera may be used.
    public var permissions: any MediaPermissionSource = FixedMediaPermissions()
    /// Whose certificates are believed.
    public var trust = ServerTrust.system
    /// Decides about links that lead out of the client.
    public var links: any ExternalLinkHandler
    /// Which files are sent and taken, beside what the service says of it.
    public var files = FilePolicy()
    /// Notifications of this device; nil where there are none. Clients of one process share them.
    public var notifications: PushNotifications?
    /// Where messages that wait for the service outlive the process; nil where they end with it.
    public var outbox: KeptOutbox?
    /// What the client waits on.
    public var clock = MediaClock.system
    /// In a test: a service in place of the one that the configuration names.
    package var link: (any ServiceLink)?

    /// Without modules, with all permissions.
    ///
    /// - Parameters:
    ///   - tokens: where tokens come from.
    ///   - links: decides about links that lead out; `PatternLinkHandler` reads a list.
    public init(tokens: any TokenSource, links: any ExternalLinkHandler) {
        self.tokens = tokens
        self.links = links
    }
}

/// A client of the conversation service: a visitor's or an agent's. It lives as long as the application holds it, has no view
/// and no thread of its own; a process may hold thousands.
///
///     let client = try CallClient.visitor(configuration, environment)
///     try await client.start()
///     let conversation = try await client.beginConversation(.chat)
///     try await client.write("Good morning", in: conversation.id)
public actor CallClient {
    /// What the client was made from: a copy.
    public nonisolated let configuration: ClientConfiguration
    /// Whether it is a visitor's or an agent's.
    public nonisolated let role: PersonRole
    nonisolated let environment: ClientEnvironment
    nonisolated let hub = ClientEvents()
    nonisolated let link: any ServiceLink
    /// The environment's, with the configuration's pins and URLs.
    nonisolated let trust: ServerTrust
    nonisolated let links: LinkGuard

    private var machine: ClientMachine
    var desk: ConversationDesk
    var settings: ClientSettings
    private var waiters = ClientWaiters()
    private var timers: [ClientTimer: Task<Void, Never>] = [:]
    var connection: ClientConnection?
    var calls: [String: Call] = [:]
    /// Calls that are being left.
    var leaving: [ObjectIdentifier: Task<Void, Never>] = [:]
    var coBrowsing = CoBrowsingSessions()
    weak var delegate: (any ClientDelegate)?
    var interceptor: (any ConversationInterceptor)?

    /// A visitor's client. Throws `ClientError` that names what in the configuration can't be used.
    public static func visitor(
        _ configuration: ClientConfiguration, _ environment: ClientEnvironment
    ) throws(ClientError) -> CallClient { try CallClient(.visitor, configuration, environment) }

    /// An agent's client. Throws `ClientError` that names what in the configuration can't be used.
    public static func agent(
        _ configuration: ClientConfiguration, _ environment: ClientEnvironment
    ) throws(ClientError) -> CallClient { try CallClient(.agent, configuration, environment) }

    private init(
        _ role: PersonRole, _ configuration: ClientConfiguration, _ environment: ClientEnvironment
    ) throws(ClientError) {
        try configuration.validate()
        var environment = environment
        environment.modules.seal()
        self.role = role
        self.configuration = configuration
        self.environment = environment
        trust = try environment.trust.completed(by: configuration)
        links = LinkGuard(environment.links)
        link = if let given = environment.link { given } else { try WebServiceLink(configuration, trust: trust) }
        machine = ClientMachine(startTimeout: configuration.startTimeout, seed: .random(in: 0 ... .max))
        var desk = ConversationDesk.Settings(role: role)
        desk.interceptorTimeoutPolicy = configuration.interceptorTimeoutPolicy
        desk.queuedMessages = configuration.queuedMessages
        self.desk = ConversationDesk(desk, waiting: try environment.outbox?.messages() ?? [])
        settings = ClientSettings(configuration, role: role)
    }

    deinit {
        for task in timers.values { task.cancel() }
        connection?.task.cancel()
    }

    // MARK: Life

    /// Starts, and returns when conversations and calls may be used. Several at a time are one start.
    ///
    /// Throws `ClientError`: `authorization` where a token is needed, `unreachable` after the configured time, `stopped` where
    /// somebody stopped it meanwhile.
    public func start() async throws { try await waitLife { .start(waiter: $0) } }

    /// Stops, and returns when the connection is gone and calls have been left. It may be started again, unless it has failed.
    public func stop() async {
        try? await waitLife { .stop(waiter: $0) }
        for task in leaving.values { await task.value }
    }

    /// A new token. While the client runs everything goes on with it, calls too; before, the next start uses it.
    public func setToken(_ token: ClientToken) { put(.setToken(token)) }

    /// Where the client stands.
    public var phase: ClientPhase { machine.phase }

    /// Whether the service can be reached now. Losing it is no error.
    public var isOnline: Bool { machine.isOnline }

    /// What happens, from how things stand on. Any number of readers.
    public nonisolated var events: AsyncStream<ClientEvent> { hub.stream() }

    /// Sets who is told beside `events`; held weakly. Throws `ClientError` once the client was started.
    public func setDelegate(_ delegate: (any ClientDelegate)?) throws(ClientError) {
        guard machine.phase == .idle || machine.phase == .stopped else {
            throw ClientError(.delegateSetLate, "the client was started already; set its delegate before")
        }
        self.delegate = delegate
    }

    /// Always too late: modules are registered with the environment. Throws `ClientError` that says so.
    public func register(_ module: any ClientModule) throws(ClientError) {
        var modules = environment.modules
        try modules.register(module)
    }

    // Inlined into `stop`, it crashes the compiler of Swift 6.2.
    @inline(never)
    private func waitLife(_ input: (Int) -> ClientMachine.Input) async throws {
        try await withCheckedThrowingContinuation { continuation in put(input(waiters.addLife(continuation))) }
    }

    func waitConversation(_ input: (Int) -> ConversationDesk.Input) async throws -> Conversation {
        try await withCheckedThrowingContinuation { continuation in tell(input(waiters.addConversation(continuation))) }
    }

    // MARK: The machine

    func put(_ input: ClientMachine.Input) {
        let wasRunning = machine.phase.isRunning
        var actions: [ClientMachine.Action] = []
        machine.handle(input, into: &actions)
        if machine.phase.isRunning != wasRunning { settings.run(!wasRunning) }
        for action in actions { perform(action) }
    }

    private func perform(_ action: ClientMachine.Action) {
        switch action {
        case .fetchToken(let ticket): fetchToken(ticket)
        case .connect(let token, let attempt): connect(token, attempt)
        case .disconnect(let attempt): disconnect(attempt)
        case .useToken(let token): connection?.token = token
        case .setTimer(let timer, let number, let milliseconds):
            timers.removeValue(forKey: timer)?.cancel()
            timers[timer] = after(milliseconds) { await $0.put(.timer(timer, number: number)) }
        case .cancelTimer(let timer): timers.removeValue(forKey: timer)?.cancel()
        case .answer(let waiter, let answer): waiters.answer(waiter, answer)
        case .endCalls(let error):
            let ended = error.isFatal ? error : ClientError(.stopped, error.message)
            tell(.stop(ended))
            coBrowsing.stopAll(error.isFatal ? .failed : .stopped)
        case .report(let report): announce(report)
        }
    }

    private func announce(_ report: ClientMachine.Report) {
        switch report {
        case .phase(let phase):
            // Nobody waits for a conversation of a client that rests.
            if !phase.isRunning {
                tell(.stop(ClientError(.stopped, "the client was stopped; start it again")))
                coBrowsing.stopAll(.stopped)
            }
            hub.send(.phase(phase))
        case .link(let isOnline):
            if !isOnline { tell(.offline) }
            hub.send(.link(isOnline: isOnline))
            if isOnline, let notifications = environment.notifications {
                Task { [self] in await notifications.connected(self) }
            }
        case .initialized: delegate?.clientDidInitialize(self)
        case .deinitialized: delegate?.clientDidDeinitialize(self)
        case .error(let error):
            hub.send(.error(error))
            delegate?.client(self, didReceive: error)
        }
    }

    /// Runs `body` after a while, unless the client is gone by then.
    @discardableResult func after(
        _ milliseconds: Int, _ body: @escaping @Sendable (CallClient) async -> Void
    ) -> Task<Void, Never> {
        Task { [weak self, clock = environment.clock] in
            do { try await clock.wait(seconds: Double(milliseconds) / 1_000) } catch { return }
            guard let self else { return }
            await body(self)
        }
    }

    private func fetchToken(_ ticket: Int) {
        Task { [weak self, tokens = environment.tokens] in
            let answer: Result<ClientToken, ClientError>
            do { answer = .success(try await tokens.token()) } catch let error as ClientError {
                answer = .failure(error)
            } catch {
                answer = .failure(ClientError(.authorization, "the token source gives none: \(error)"))
            }
            await self?.put(.token(answer, ticket: ticket))
        }
    }

    // MARK: The connection

    private func connect(_ token: ClientToken, _ attempt: Int) {
        let identity = settings.identity(token)
        let current: @Sendable () -> CallClient? = { [weak self] in self }
        let task = Task { [link] in
            do throws(LinkFailure) {
                let connection = try await link.connect(identity)
                guard !Task.isCancelled, await current()?.attach(connection, attempt) == true else {
                    return await connection.close()
                }
                await CallClient.read(connection, attempt, current)
            } catch {
                await current()?.failed(error, attempt)
            }
        }
        connection = ClientConnection(attempt: attempt, token: token, task: task)
    }

    /// False where nobody wants it any more.
    private func attach(_ service: ServiceConnection, _ attempt: Int) -> Bool {
        guard connection?.attempt == attempt else { return false }
        connection?.service = service
        return true
    }

    /// Reads to the end of a connection. It holds the client only while that is told something.
    private static func read(
        _ service: ServiceConnection, _ attempt: Int, _ client: @Sendable () -> CallClient?
    ) async {
        var isBegun = false
        for await notice in service.notices {
            guard isBegun || notice.snapshot != nil else { break }
            isBegun = true
            guard let client = client() else { break }
            await client.heard(notice, attempt)
        }
        if Task.isCancelled || client() == nil { await service.close() }
        await client()?.ended(attempt, hasBegun: isBegun)
    }

    private func failed(_ failure: LinkFailure, _ attempt: Int) {
        if connection?.attempt == attempt { connection = nil }
        put(.connectFailed(failure, attempt: attempt))
    }

    private func heard(_ notice: ConversationNotice, _ attempt: Int) {
        guard connection?.attempt == attempt else { return }
        if let snapshot = notice.snapshot {
            put(.connected(attempt: attempt))
            tell(.online(snapshot))
        } else {
            tell(.notice(notice))
        }
    }

    private func ended(_ attempt: Int, hasBegun: Bool) {
        guard connection?.attempt == attempt else { return }
        connection = nil
        put(
            hasBegun
                ? .lost(attempt: attempt)
                : .connectFailed(.unreachable("the service closed the connection"), attempt: attempt))
    }

    private func disconnect(_ attempt: Int) {
        guard let old = connection, old.attempt == attempt else { return put(.released(attempt: attempt)) }
        connection = nil
        old.task.cancel()
        Task {
            await old.service?.close()
            put(.released(attempt: attempt))
        }
    }

    // MARK: Requests

    /// Sends a request with the token, the cookies and the area of now.
    func send(_ request: ServiceRequest) async throws(ServiceFault) -> [UInt8] {
        guard let current = connection else { throw .unanswered("there is no connection") }
        do throws(ServiceFault) {
            return try await link.send(request, settings.identity(current.token))
        } catch {
            if error == .unauthorized { put(.unauthorized(attempt: current.attempt)) }
            throw error
        }
    }

    func answer(_ waiter: Int, _ answer: Result<Conversation, ClientError>) { waiters.answer(waiter, answer) }
}

extension ClientPhase {
    /// Cookies and areas that are set now are set for a client that works.
    fileprivate var isRunning: Bool { self == .starting || self == .ready }
}
