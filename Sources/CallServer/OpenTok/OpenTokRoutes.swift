import NIOCore
import NIOHTTP1
import NIOPosix
import OpenTokSignalling

/// The HTTP paths of the OpenTok-style dialect: the REST API, session information, and the message transport.
struct OpenTokRoutes: Sendable {
    private static let sockets = "/v2/messaging/"
    private static let longestBody = 256 * 1024

    let service: OpenTokService
    private let directory: RoomDirectory
    private let router: RESTRouter

    init(service: OpenTokService, directory: RoomDirectory) {
        self.service = service
        self.directory = directory
        router = RESTRouter(secrets: service.secrets)
    }

    /// Adds the paths to a server's.
    func add(to routes: inout HTTPRouter) {
        let gate = HTTPBodyGate(bytes: Self.longestBody) { [router] request in
            do throws(RESTFault) {
                _ = try router.admit(RESTRequest(request), now: Self.now)
                return nil
            } catch { return HTTPResponse(error.response) }
        }
        routes.any("/session/create", body: gate, later: answer)
        routes.any("/v2/project/*", body: gate, later: answer)
        routes.any("/session/*", later: inform)
        routes.get(ArchiveLink.prefix + "*", later: fetch)
        routes.webSocket(
            Self.sockets + "*", plain: { _ in HTTPResponse(.upgradeRequired, "WebSockets are spoken here") },
            decide: decide)
    }

    /// Seconds since 1970.
    private static var now: Int64 { WallClock.milliseconds / 1000 }

    // MARK: REST

    private func answer(_ request: HTTPRequest, _ eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        do throws(RESTFault) {
            let (project, command) = try router.route(RESTRequest(request), now: Self.now)
            return perform(command, project, request, eventLoop).map { HTTPResponse(command.response(to: $0)) }
        } catch {
            return eventLoop.makeSucceededFuture(HTTPResponse(error.response))
        }
    }

    private func perform(
        _ command: RESTCommand, _ project: String, _ request: HTTPRequest, _ eventLoop: any EventLoop
    ) -> EventLoopFuture<RESTResult> {
        switch command {
        case .createSession(let options):
            let now = WallClock.milliseconds
            let id = OpenTokSessionID(
                project: project, mediaMode: options.mediaMode, location: options.location, createdAt: now)
            let session = CreatedSession(session: id, project: project, createdAt: now / 1000)
            if options.archiveMode == .always {
                let archive = ArchiveOptions(id, options)
                service.archives.expect(archive, project: project, server: server(of: request))
            }
            return eventLoop.makeSucceededFuture(.session(session))
        case .signal(let session, _, _), .stream(let session, _), .streams(let session),
            .setStreamClasses(let session, _), .forceDisconnect(let session, _), .muteStream(let session, _),
            .forceMute(let session, _), .playDTMF(let session, _, _):
            return service.perform(command, session: session.text, on: eventLoop)
        case .startArchive, .stopArchive, .archive, .deleteArchive, .archives, .addArchiveStream,
            .removeArchiveStream, .setArchiveLayout:
            let result = service.archives.perform(
                command, project: project, server: server(of: request), service: service)
            return eventLoop.makeSucceededFuture(result)
        }
    }

    private func server(of request: HTTPRequest) -> String {
        (request.isSecure ? "https://" : "http://") + authority(of: request)
    }

    /// What the client calls us.
    private func authority(of request: HTTPRequest) -> String {
        if let host = request.host, host.utf8.count <= 255 { return host }
        let port = request.localAddress?.port ?? service.configuration.port
        return "\(service.configuration.host):\(port)"
    }

    // MARK: Session information

    private func inform(_ request: HTTPRequest, _ eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        eventLoop.makeSucceededFuture(inform(request))
    }

    private func inform(_ request: HTTPRequest) -> HTTPResponse {
        let rest = RESTRequest(request)
        guard SessionInfoRequest.matches(rest) else { return .notFound }
        do throws(SessionInfoRefusal) {
            let asked = try SessionInfoRequest(rest, secrets: service.secrets, now: Self.now)
            let (session, project) = (asked.session, asked.token.project)
            let ticket = MessagingTicket.make(
                session: session.text, secret: service.secrets[project] ?? "", now: Self.now)
            let scheme = request.isSecure ? "wss://" : "ws://"
            let path = "\(Self.sockets)\(project)/\(session.text)/\(ticket)"
            let info = SessionInfo(
                session: session, project: project, messagingURL: scheme + authority(of: request) + path,
                serverAddress: OpenTokService.serverAddress)
            return HTTPResponse(info.response)
        } catch {
            return HTTPResponse(error.response)
        }
    }

    // MARK: Archives

    /// The file of an archive, to whoever has a link that we have made.
    private func fetch(_ request: HTTPRequest, _ eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        let link = ArchiveLink(
            path: request.path, query: request.rawQuery, secrets: service.secrets, now: Self.now)
        guard let link else {
            let words = "the link is not valid, or no longer; ask for the archive to get another"
            return eventLoop.makeSucceededFuture(HTTPResponse(.forbidden, words))
        }
        let (range, ifRange) = (request.headers.first(name: "range"), request.headers.first(name: "if-range"))
        return NIOThreadPool.singleton.runIfActive(eventLoop: eventLoop) { [service] in
            guard let file = service.archives.file(of: link).flatMap(HTTPFile.init) else { return .notFound }
            let type = link.filename.hasSuffix(".zip") ? "application/zip" : "video/webm"
            return HTTPResponse(file, contentType: type, range: range, ifRange: ifRange)
        }
    }

    // MARK: The message transport

    private func decide(_ request: HTTPRequest) -> WebSocketDecision {
        let parts = request.path.dropFirst(Self.sockets.count).split(separator: "/", maxSplits: 3)
        guard parts.count == 3, let secret = service.secrets[String(parts[0])],
            let session = try? OpenTokSessionID(parsing: parts[1]), session.belongs(to: String(parts[0]))
        else { return .refuse(HTTPResponse(.notFound, "there is no such session; ask for session information")) }
        let (project, ticket) = (String(parts[0]), String(parts[2]))
        guard let socket = RumorSocketRequest(query: request.rawQuery) else {
            return .refuse(HTTPResponse(.badRequest, "the query names no socket; send socketId=ID"))
        }
        // One who comes back is known by the ticket that the connection was begun with, however old that is.
        guard
            socket.attempt != nil
                ? service.existingRoom(session.text) != nil && ticket.utf8.count <= MessagingTicket.longest
                : MessagingTicket.isValid(ticket, session: session.text, secret: secret, now: Self.now)
        else {
            // No code of HTTP would keep a client from coming back.
            guard socket.attempt != nil else {
                return .refuse(HTTPResponse(.forbidden, "the ticket is not valid; ask for session information"))
            }
            return .accept { channel in
                let orphan = OpenTokSocket(channel: channel, request: socket, ticket: ticket)
                orphan.close(1011)
                return orphan
            }
        }
        return .accept { [service, directory] channel in
            let socket = OpenTokSocket(channel: channel, request: socket, ticket: ticket)
            service.enter(socket, session: session, project: project, in: directory)
            return socket
        }
    }
}

extension RESTRequest {
    init(_ request: HTTPRequest) {
        self.init(
            method: request.method.rawValue, path: request.path, query: request.rawQuery,
            headers: request.headers.map { Header(name: $0.name, value: $0.value) },
            body: Array(request.body.readableBytesView))
    }
}

extension HTTPResponse {
    init(_ response: RESTResponse) {
        self.init(
            HTTPResponseStatus(statusCode: response.status),
            contentType: response.contentType ?? "application/json", response.body)
    }
}
