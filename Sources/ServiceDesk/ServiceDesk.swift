import Foundation
import TransportSecurity

/// A user's chat with the support: tickets, comments and files of one application's service desk.
///
/// ```swift
/// let desk = try ServiceDesk(server: "https://desk.example", appID: "app", store: DeskLocalStore())
/// for await event in await desk.events() { ... }
/// try await desk.send("Where is my parcel?")
/// ```
/// It has no view: `open()` says that the chat is shown. The service is asked for news while it is shown or somebody has
/// subscribed to replies, by the `PollingLadder`.
public actor ServiceDesk {
    /// How the chat presents itself.
    public nonisolated let configuration: ServiceDeskConfiguration
    private let transport: any DeskTransport
    private let clock: any DeskClock
    private var store: DeskLocalStore
    private var credentials: DeskCredentials
    private var machine: DeskMachine
    private var pushes = PushTokenLimiter()
    private var menu: AttachmentMenu
    private var readers: [Int: AsyncStream<DeskEvent>.Continuation] = [:]
    private var lastReader = 0
    private var timer: Task<Void, Never>?
    private var isStopped = false
    /// Events that a reader may leave unread; the oldest are dropped.
    private static let backlog = 1_000

    /// A chat. Throws `DeskError`: `missingAppID`, `invalidCredentials`, `invalidConfiguration`.
    ///
    /// - Parameters:
    ///   - server: `http://host:port` or `https://host` of the service.
    ///   - appID: from the settings of the form's chat.
    ///   - userID: nil for an anonymous chat, which belongs to the device.
    ///   - securityKey: of that user, as the application's own service has given it.
    ///   - configuration: nil takes the defaults.
    ///   - store: what the device keeps; see `localStore`.
    public init(
        server: String, appID: String?, userID: String? = nil, securityKey: String? = nil,
        configuration: ServiceDeskConfiguration? = nil, store: DeskLocalStore, choosers: [any AttachmentChooser] = [],
        clock: any DeskClock = SystemDeskClock()
    ) throws(DeskError) {
        try self.init(
            server: server, trust: .environment, appID: appID, userID: userID, securityKey: securityKey,
            configuration: configuration, store: store, choosers: choosers, clock: clock)
    }

    /// The same with pins or a certificate of the client's own.
    package init(
        server: String, trust: TLSTrust, appID: String?, userID: String? = nil, securityKey: String? = nil,
        configuration: ServiceDeskConfiguration? = nil, store: DeskLocalStore, choosers: [any AttachmentChooser] = [],
        clock: any DeskClock = SystemDeskClock()
    ) throws(DeskError) {
        let credentials = try DeskCredentials(
            appID: appID, deviceID: store.deviceID, userID: userID, securityKey: securityKey)
        try self.init(
            transport: try WebDeskTransport(server: server, trust: trust), credentials: credentials,
            configuration: configuration,
            store: store, choosers: choosers, clock: clock)
    }

    package init(
        transport: any DeskTransport, credentials: DeskCredentials, configuration: ServiceDeskConfiguration?,
        store: DeskLocalStore, choosers: [any AttachmentChooser] = [], clock: any DeskClock
    ) throws(DeskError) {
        let configuration = configuration ?? ServiceDeskConfiguration()
        try configuration.validate()
        self.configuration = configuration
        self.transport = transport
        self.clock = clock
        self.store = store
        self.credentials = credentials
        menu = AttachmentMenu(choosers)
        machine = DeskMachine(history: store[credentials], now: clock.now)
    }

    // MARK: What the application sees

    /// What happens from now on, as of the moment at which it is asked for. Ends with `stop`. A reader that falls 1,000 events
    /// behind loses the oldest.
    public func events() -> AsyncStream<DeskEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: DeskEvent.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        add(continuation)
        return stream
    }

    /// The comments that are known, the oldest first.
    public var comments: [DeskComment] { machine.history.comments }

    /// What the device is to keep: write it somewhere, and give it to the next chat. Holds no security key.
    public var localStore: DeskLocalStore {
        var store = store
        var history = machine.history
        history.usedAt = DeskDate(milliseconds: clock.now)
        store[credentials] = history
        return store
    }

    /// Whose chat it is.
    public var owner: DeskOwner { credentials.owner }

    private func add(_ reader: AsyncStream<DeskEvent>.Continuation) {
        guard !isStopped else { return reader.finish() }
        lastReader += 1
        let number = lastReader
        readers[number] = reader
        reader.onTermination = { [weak self] _ in Task { await self?.remove(number) } }
    }

    private func remove(_ number: Int) { readers[number] = nil }

    // MARK: What the application does

    /// The chat is shown: news come as `comments`, and count as read.
    public func open() {
        machine.open(now: clock.now)
        advance()
    }

    /// The chat is no longer shown.
    public func close() {
        machine.close()
        advance()
    }

    /// From now on answers are told as `reply`: late and seldom, where nothing happens, and never while the chat is shown.
    public func subscribeToReplies() {
        machine.subscribe(now: clock.now)
        advance()
    }

    /// Nothing is told any more.
    public func unsubscribeFromReplies() {
        machine.unsubscribe()
        advance()
    }

    /// Asks for news now. Throws `tooOften` beyond 20 times in a minute.
    public func refresh() throws(DeskError) {
        try machine.refresh(now: clock.now)
        advance()
    }

    /// Writes to the support. Returns when the service has it; where that is not known, nothing is lost by asking again with
    /// the same `id`: there is one comment.
    ///
    /// - Parameters:
    ///   - text: at most 32 KiB of UTF-8; may be empty where there are files.
    ///   - files: at most 10.
    ///   - newTicket: begins another ticket; otherwise it goes into the newest one, which is made where there is none.
    ///   - id: the caller's name of the comment; nil for a random one.
    @discardableResult public func send(
        _ text: String, files: [DeskFile] = [], newTicket: Bool = false, id: String? = nil
    ) async throws(DeskError) -> DeskComment {
        guard !text.isEmpty || !files.isEmpty else { throw DeskError(.refused, "a comment has text or files") }
        guard text.utf8.count <= DeskBounds.bodyBytes else {
            throw DeskError(.tooLarge, "a comment has at most \(DeskBounds.bodyBytes) bytes; write several")
        }
        guard files.count <= DeskBounds.attachments else {
            throw DeskError(.tooLarge, "a comment has at most \(DeskBounds.attachments) files; write several")
        }
        let asked = credentials
        var sent: [DeskCommentRequest.File] = []
        for file in files {
            let guid = try await told { () async throws(DeskError) in try await transport.upload(file, asked) }
            sent.append(.init(guid: guid, name: file.name))
        }
        let request = DeskCommentRequest(
            ticketID: newTicket ? 0 : nil, comment: text, attachments: sent, userName: configuration.userName,
            clientID: id ?? DeskLocalStore().deviceID)
        machine.beginSending()
        defer {
            machine.endSending()
            advance()
        }
        let answer = try await told { () async throws(DeskError) in try await transport.comment(request, asked) }
        let attachments = zip(answer.attachments, files).map {
            DeskAttachment(id: $0, name: $1.name, size: Int64($1.bytes.count))
        }
        let now = clock.now
        let comment = DeskComment(
            id: answer.commentID, body: text, isInbound: true, attachments: attachments,
            createdAt: DeskDate(milliseconds: now), author: DeskAuthor(name: configuration.userName))
        if asked.owner == credentials.owner, asked.appID == credentials.appID { machine.sent(comment, now: now) }
        return comment
    }

    /// A file's content.
    public func download(_ attachment: DeskAttachment) async throws(DeskError) -> [UInt8] {
        let asked = credentials
        return try await told { () async throws(DeskError) in try await transport.download(attachment.id, asked) }
    }

    /// An author's picture: theirs, or the configuration's; nil where there is neither.
    public func avatar(of author: DeskAuthor) async throws(DeskError) -> [UInt8]? {
        guard let id = author.avatarID else { return configuration.avatarForSupport }
        return try await transport.avatar(id)
    }

    /// Tells the service how this device is notified; nil takes that back. Success is that nothing is thrown. Throws
    /// `tooOften` where it was done in the last five minutes, or five times for whomever.
    public func setPushToken(_ token: String?, type: String = "iOS") async throws(DeskError) {
        try pushes.begin(now: clock.now)
        let asked = credentials
        try await told { () async throws(DeskError) in try await transport.setPushToken(token, type: type, asked) }
        if asked.owner == credentials.owner { pushes.succeeded(now: clock.now) }
    }

    /// The same user with another key, from now on. Throws `invalidCredentials`.
    public func setSecurityKey(_ key: String) throws(DeskError) {
        try credentials.rotate(securityKey: key)
        machine.credentialsChanged(history: nil, now: clock.now)
        advance()
    }

    /// Somebody else, or nobody in particular. The former chat is kept, and seen again by whoever it belongs to.
    public func switchUser(userID: String?, securityKey: String? = nil) throws(DeskError) {
        let next = try DeskCredentials(
            appID: credentials.appID, deviceID: credentials.deviceID, userID: userID, securityKey: securityKey)
        store = localStore
        credentials = next
        pushes.userChanged()
        machine.credentialsChanged(history: store[next], now: clock.now)
        advance()
    }

    // MARK: Attachments

    /// Adds the application's own way of choosing files; nil takes it away.
    public func register(_ chooser: (any AttachmentChooser)?) { menu.register(chooser) }

    /// The entries of the attachment menu.
    public var attachmentLabels: [String] { menu.labels }

    /// Lets the user choose by an entry; nil where nothing was chosen.
    public func chooseAttachment(_ label: String) async throws -> DeskFile? { try await menu.choose(label) }

    /// Ends it. Nothing is asked any more.
    public func stop() {
        isStopped = true
        timer?.cancel()
        machine.close()
        machine.unsubscribe()
        for reader in readers.values { reader.finish() }
        readers = [:]
    }

    // MARK: The machine

    private func advance() {
        guard !isStopped else { return }
        var actions: [DeskMachine.Action] = []
        machine.advance(to: clock.now, into: &actions)
        perform(actions)
        timer?.cancel()
        timer = nil
        guard let deadline = machine.nextDeadline else { return }
        timer = Task { [weak self, clock] in
            guard (try? await clock.wait(until: deadline)) != nil else { return }
            await self?.advance()
        }
    }

    private func perform(_ actions: [DeskMachine.Action]) {
        for action in actions {
            switch action {
            case .report(let event): for reader in readers.values { reader.yield(event) }
            case .poll(let poll, let epoch): Task { await ask(poll, epoch) }
            }
        }
    }

    private func ask(_ poll: DeskMachine.Poll, _ epoch: Int) async {
        let asked = credentials
        let result: Result<DeskMachine.Answer, DeskError>
        do throws(DeskError) {
            switch poll {
            case .feed: result = .success(.feed(try await transport.feed(DeskFeedRequest(), asked)))
            case .tickets: result = .success(.tickets(try await transport.tickets(asked)))
            }
        } catch {
            result = .failure(error)
        }
        guard !isStopped else { return }
        var actions: [DeskMachine.Action] = []
        machine.answered(result, epoch: epoch, now: clock.now, into: &actions)
        perform(actions)
        advance()
    }

    /// Does something and lets the machine know whether the service was there.
    private func told<Value: Sendable>(
        _ work: @Sendable () async throws(DeskError) -> Value
    ) async throws(DeskError) -> Value {
        let outcome: Result<Value, DeskError>
        do throws(DeskError) { outcome = .success(try await work()) } catch { outcome = .failure(error) }
        var actions: [DeskMachine.Action] = []
        switch outcome {
        case .success: machine.recovered(into: &actions)
        case .failure(let error): machine.failed(error, into: &actions)
        }
        perform(actions)
        return try outcome.get()
    }
}
