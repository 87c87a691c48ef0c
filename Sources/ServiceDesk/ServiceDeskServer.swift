import Foundation
import ServiceDeskCore
import TransportSecurity
import WebClient

/// The reference service: keeps tickets and comments in memory, speaks the chat's API, asks an authorization service, calls
/// webhooks. For tests and development.
///
/// ```swift
/// let server = ServiceDeskServer(.init())
/// try await server.start()
/// let desk = try ServiceDesk(server: server.url, appID: "app", store: DeskLocalStore())
/// ```
public actor ServiceDeskServer {
    /// What a server is made from.
    public struct Configuration: Sendable {
        /// The address to listen on.
        public var host = "127.0.0.1"
        /// 0 lets the system choose.
        public var port = 0
        /// Applications that are served; empty for all.
        public var appIDs: Set<String> = []
        /// Who answers.
        public var support = DeskAuthor(name: "Support", avatarColor: "#007aff")
        /// Pictures of the support, by id.
        public var avatars: [Int64: [UInt8]] = [:]
        /// Users that this server itself answers for, also to others: POST `/authorize`.
        public var registry: AuthorizationRegistry?
        /// The application's authorization service; asked before each request of an external user. Without it, and without a
        /// registry, external users are refused.
        public var authorizationURL: String?
        /// Told of each message of the support.
        public var webhookURL: String?
        /// Signs webhooks.
        public var webhookSecret: String?
        /// What users may make it hold.
        public var limits = DeskServiceLimits()
        /// What time it is.
        public var clock: any DeskClock = SystemDeskClock()

        /// The defaults.
        public init() {}
    }

    /// Something that a user wrote.
    public struct Incoming: Sendable, Hashable {
        /// The ticket.
        public var ticketID: Int64
        /// The application.
        public var appID: String
        /// Who.
        public var owner: DeskOwner
        /// What.
        public var comment: DeskComment
    }

    /// Paths of this server beside the API.
    static let authorizationPath = "/authorize"
    private static let backlog = 1_000

    private let configuration: Configuration
    private let authorizationURL: URLComponents?
    private let sender: DeskWebhookSender?
    private var service: DeskService
    private var registry: AuthorizationRegistry?
    private var listener: DeskListener?
    private var readers: [AsyncStream<Incoming>.Continuation] = []
    /// The newest comment that readers were told: a request that comes twice is one comment.
    private var lastReported: Int64 = 0

    /// A server that is not yet started. Throws `invalidConfiguration` for a URL that is none.
    public init(_ configuration: Configuration) throws(DeskError) {
        self.configuration = configuration
        authorizationURL = try configuration.authorizationURL.map { url throws(DeskError) in try Self.url(url) }
        if let url = configuration.webhookURL {
            sender = DeskWebhookSender(
                url: try Self.url(url), secret: configuration.webhookSecret, clock: configuration.clock)
        } else {
            sender = nil
        }
        registry = configuration.registry
        service = DeskService(limits: configuration.limits, support: configuration.support)
        for (id, bytes) in configuration.avatars { service.setAvatar(id, bytes) }
    }

    private static func url(_ text: String) throws(DeskError) -> URLComponents {
        guard let url = URLComponents(string: text), (try? WebAddress(url)) != nil, url.user == nil,
            ["http", "https"].contains(url.scheme?.lowercased())
        else { throw DeskError(.invalidConfiguration, "\"\(text)\" is no URL; write it as http://host:port/path") }
        return url
    }

    /// Binds the port. Throws `portUnavailable` where it can't be had.
    public func start() async throws(DeskError) {
        guard listener == nil else { throw DeskError(.invalidConfiguration, "the server runs already") }
        listener = try await DeskListener.listen(
            host: configuration.host, port: configuration.port,
            DeskListener.Service(
                bodyLimit: { method, path throws(DeskRefusal) in
                    if path == Self.authorizationPath { return AuthorizationRequest.largest }
                    return try DeskRouter.bodyLimit(method, path: path)
                },
                answer: { [weak self] request in
                    await self?.answer(request) ?? DeskHTTPResponse(DeskRefusal(503, "the server stops"))
                }))
    }

    /// Closes the port. What has been kept is gone.
    public func stop() async {
        await listener?.close()
        listener = nil
        await sender?.stop()
        for reader in readers { reader.finish() }
        readers = []
    }

    /// The bound TCP port; 0 while it does not run.
    public var port: Int { listener?.port ?? 0 }

    /// For clients on this machine.
    public var url: String {
        let host = configuration.host.contains(":") ? "[\(configuration.host)]" : configuration.host
        return "http://\(host):\(port)"
    }

    // MARK: The support

    /// What users write from now on. A reader that falls 1,000 comments behind loses the oldest.
    public func incoming() -> AsyncStream<Incoming> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Incoming.self, bufferingPolicy: .bufferingNewest(Self.backlog))
        readers.append(continuation)
        return stream
    }

    /// The support writes into a ticket. Throws `notFound`, `refused`, `tooLarge`.
    @discardableResult public func reply(
        ticket: Int64, _ text: String, files: [DeskFile] = [], author: DeskAuthor? = nil
    ) async throws(DeskError) -> DeskComment {
        let parts = files.map { DeskMultipart(name: $0.name, bytes: $0.bytes) }
        let (comment, webhook): (DeskComment, DeskWebhook)
        do throws(DeskRefusal) {
            (comment, webhook) = try service.reply(
                ticket: ticket, body: text, author: author, files: parts,
                now: DeskDate(milliseconds: configuration.clock.now))
        } catch {
            let code: DeskError.Code = error.status == 404 ? .notFound : error.status == 413 ? .tooLarge : .refused
            throw DeskError(code, error.message)
        }
        await sender?.add(webhook)
        return comment
    }

    /// The comments of a ticket; nil where there is none.
    public func comments(ticket: Int64) -> [DeskComment]? { service.overview(ticket)?.comments }

    /// The push token of the user of a ticket.
    public func pushToken(ticket: Int64) -> String? { service.overview(ticket)?.pushToken }

    /// The content of an attachment.
    public func file(_ attachment: DeskAttachment) -> [UInt8]? { service.file(attachment.id) }

    /// Changes the users that this server answers for.
    public func changeRegistry(_ change: @Sendable (inout AuthorizationRegistry) throws(DeskError) -> Void)
        throws(DeskError)
    {
        guard var registry else { throw DeskError(.invalidConfiguration, "the server was started without users") }
        try change(&registry)
        self.registry = registry
    }

    /// Webhooks: delivered, sent again, given up.
    public func webhookCounts() async -> (delivered: Int, repeated: Int, lost: Int) {
        guard let counts = await sender?.statistics else { return (0, 0, 0) }
        return (counts.delivered, counts.repeated, counts.lost)
    }

    // MARK: Requests

    private func answer(_ request: DeskHTTPRequest) async -> DeskHTTPResponse {
        if request.path == Self.authorizationPath {
            return registry?.answer(request) ?? DeskHTTPResponse(DeskRefusal(404, "there are no users here"))
        }
        let question: DeskQuestion
        do throws(DeskRefusal) {
            question = try DeskRouter.read(request)
            if let credentials = question.credentials { try await admit(credentials) }
        } catch {
            return DeskHTTPResponse(error)
        }
        let now = DeskDate(milliseconds: configuration.clock.now)
        let response = service.perform(question, now: now)
        if case .comment = question.call, let credentials = question.credentials { report(response, credentials) }
        return response
    }

    /// Whether the user is let in, asked anew for each request.
    private func admit(_ credentials: DeskCredentials) async throws(DeskRefusal) {
        guard configuration.appIDs.isEmpty || configuration.appIDs.contains(credentials.appID) else {
            throw DeskRefusal(403, "there is no such application")
        }
        guard case .external(let userID, let securityKey) = credentials.authentication else { return }
        let question = AuthorizationRequest(appID: credentials.appID, userID: userID, securityKey: securityKey)
        if let authorizationURL {
            let status = await AuthorizationClient.ask(authorizationURL, question)
            if status == 200 { return }
            guard let status, [400, 403].contains(status) else {
                throw DeskRefusal(503, "the application's authorization service does not answer", retryAfter: 5)
            }
        } else if registry?.allows(question) == true {
            return
        }
        throw DeskRefusal(403, "the application does not vouch for this user")
    }

    private func report(_ response: DeskHTTPResponse, _ credentials: DeskCredentials) {
        guard response.status == 200, let said = try? DeskJSON.read(DeskCommentAnswer.self, response.body),
            let comment = service.overview(said.ticketID)?.comments.last, comment.id == said.commentID,
            comment.id > lastReported
        else { return }
        lastReported = comment.id
        let incoming = Incoming(
            ticketID: said.ticketID, appID: credentials.appID, owner: credentials.owner, comment: comment)
        for reader in readers { reader.yield(incoming) }
    }
}
