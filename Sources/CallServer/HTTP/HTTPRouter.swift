import NIOCore
import NIOHTTP1

/// What an `HTTPServer` serves: plain routes and WebSocket routes, by path. It knows no signalling dialect.
///
/// ```swift
/// var router = HTTPRouter()
/// router.get("/") { _ in HTTPResponse(.ok, "OK") }
/// router.any("/twirp/livekit.RoomService/*", later: { request, eventLoop in roomService.answer(request, eventLoop) })
/// router.webSocket("/rtc", plain: { _ in .notFound }) { request in
///     .accept { channel in Session(channel) }
/// }
/// ```
/// A path is exact, or ends in `/*` and then covers everything below. Exact paths win, then the longest prefix.
/// A path that is not there gets 404, a method that a path does not have gets 405; HEAD is answered as GET, without a body.
struct HTTPRouter: Sendable {
    /// Answers a request at once, on the connection's loop.
    typealias Handler = @Sendable (HTTPRequest) -> HTTPResponse
    /// Answers a request later; the loop is the connection's. A failed future becomes a 500 without details.
    typealias LateHandler = @Sendable (HTTPRequest, any EventLoop) -> EventLoopFuture<HTTPResponse>
    /// Decides about a well-formed WebSocket handshake before the upgrade, on the connection's loop.
    typealias Decision = @Sendable (HTTPRequest) -> WebSocketDecision
    typealias LateDecision = @Sendable (HTTPRequest, any EventLoop) -> EventLoopFuture<WebSocketDecision>

    /// Decides about a request for a stream of server-sent events, on the connection's loop.
    typealias EventDecision = @Sendable (HTTPRequest) -> HTTPEventDecision

    /// What stands behind a path.
    enum Route: Sendable {
        /// By method; `nil` takes every method that has no handler of its own.
        case plain([(method: HTTPMethod?, handler: LateHandler)])
        case webSocket(plain: LateHandler, decide: LateDecision)
        case events(EventDecision)
    }

    private var exact: [String: Route] = [:]
    private var gates: [String: HTTPBodyGate] = [:]
    private var prefixes: [(path: String, route: Route)] = []

    init() {}

    /// Answers GET and HEAD.
    mutating func get(_ path: String, _ handler: @escaping Handler) { add(.GET, path, Self.late(handler)) }

    /// Answers GET and HEAD, later.
    mutating func get(_ path: String, later handler: @escaping LateHandler) { add(.GET, path, handler) }

    /// Answers every method that has no route of its own.
    mutating func any(_ path: String, body: HTTPBodyGate = .none, _ handler: @escaping Handler) {
        any(path, body: body, later: Self.late(handler))
    }

    /// Answers every method that has no route of its own, later.
    mutating func any(_ path: String, body: HTTPBodyGate = .none, later handler: @escaping LateHandler) {
        add(nil, path, handler)
        gates[path] = body
    }

    /// The bodies that the route of a path takes.
    func gate(for path: String) -> HTTPBodyGate {
        if exact[path] != nil { return gates[path] ?? .none }
        return prefixes.first { path.hasPrefix($0.path) }.flatMap { gates[$0.path + "*"] } ?? .none
    }

    /// The answer to a request with a body, where the head alone decides it.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        switch route(for: request.path) {
        case nil: .notFound
        case .plain(let handlers)
        where !handlers.contains { $0.method == nil || $0.method == request.method }:
            Self.methodNotAllowed(handlers)
        case .plain, .webSocket, .events: gate(for: request.path).refusal(request)
        }
    }

    static func methodNotAllowed(_ handlers: [(method: HTTPMethod?, handler: LateHandler)]) -> HTTPResponse {
        var refusal = HTTPResponse(.methodNotAllowed, "this path does not have this method")
        refusal.fields["Allow"] = handlers.compactMap { $0.method?.rawValue }.sorted().joined(separator: ", ")
        return refusal
    }

    /// Serves WebSockets.
    ///
    /// - Parameters:
    ///   - plain: answers a request that is no WebSocket handshake.
    ///   - decide: accepts or refuses a handshake.
    mutating func webSocket(_ path: String, plain: @escaping Handler, decide: @escaping Decision) {
        webSocket(path, plain: plain, later: { $1.makeSucceededFuture(decide($0)) })
    }

    /// Serves WebSockets whose fate is decided later.
    mutating func webSocket(_ path: String, plain: @escaping Handler, later decide: @escaping LateDecision) {
        set(path, .webSocket(plain: Self.late(plain), decide: decide))
    }

    /// Serves streams of server-sent events to GET.
    mutating func events(_ path: String, decide: @escaping EventDecision) { set(path, .events(decide)) }

    /// The route of a path, if there is one.
    func route(for path: String) -> Route? {
        exact[path] ?? prefixes.first { path.hasPrefix($0.path) }?.route
    }

    /// What a path is called in logs and figures: the route's path, and nothing that a client has chosen.
    func name(of path: String) -> String {
        if exact[path] != nil { return path }
        return prefixes.first { path.hasPrefix($0.path) }.map { $0.path + "*" } ?? "without a route"
    }

    private static func late(_ handler: @escaping Handler) -> LateHandler { { $1.makeSucceededFuture(handler($0)) } }

    private mutating func add(_ method: HTTPMethod?, _ path: String, _ handler: @escaping LateHandler) {
        var handlers: [(method: HTTPMethod?, handler: LateHandler)] = []
        if case .plain(let present) = present(path) { handlers = present.filter { $0.method != method } }
        set(path, .plain(handlers + [(method, handler)]))
    }

    private func present(_ path: String) -> Route? {
        guard path.hasSuffix("/*") else { return exact[path] }
        return prefixes.first { $0.path == path.dropLast() }?.route
    }

    private mutating func set(_ path: String, _ route: Route) {
        guard path.hasSuffix("/*") else { return exact[path] = route }
        let prefix = String(path.dropLast())
        prefixes.removeAll { $0.path == prefix }
        prefixes.append((prefix, route))
        prefixes.sort { $0.path.utf8.count > $1.path.utf8.count }
    }
}
