import Foundation
import LiveKitProtocol
import NIOCore
import NIOHTTP1

/// The dashboard and the join page: pages that load nothing from elsewhere, and the events that they show.
///
///     GET /dashboard            GET /dashboard/events     an administrator's token
///     GET /join                 GET /join/events          a token of the room
struct DashboardRoutes: Sendable {
    private let configuration: CallServerConfiguration
    private let tokens: LiveKitRoutes
    private let feed: DashboardFeed
    /// LiveKit's browser client, where the user supplies it.
    private let liveKitClient: Data?

    /// Throws `CallServerError` where LiveKit's client can't be read.
    init(
        configuration: CallServerConfiguration, directory: RoomDirectory, feed: DashboardFeed
    ) throws(CallServerError) {
        self.configuration = configuration
        self.feed = feed
        tokens = LiveKitRoutes(configuration: configuration, directory: directory)
        guard let path = configuration.watching.liveKitClient else {
            liveKitClient = nil
            return
        }
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= Self.largestClient else {
            throw .configuration(
                "LiveKit's client can't be read from \"\(path)\"; give a file of at most 8 MiB, such as livekit-client.umd.js"
            )
        }
        liveKitClient = bytes
    }

    private static let largestClient = 8 * 1024 * 1024

    /// Adds the paths to a server's.
    func add(to router: inout HTTPRouter) {
        let style = PageStyle.css
        for (path, page) in [("/dashboard", DashboardPage.self as any WatchPage.Type), ("/join", JoinPage.self)] {
            router.get(path) { _ in .page(contentType: "text/html; charset=utf-8", page.html.utf8) }
            router.get(path + "/page.js") { _ in .page(contentType: "text/javascript; charset=utf-8", page.script.utf8)
            }
            router.get(path + "/page.css") { _ in .page(contentType: "text/css; charset=utf-8", style.utf8) }
        }
        router.events("/dashboard/events") { open($0, administrator) }
        router.events("/join/events") { open($0, audience) }
        router.get("/join/livekit-client.js") { [liveKitClient] _ in
            guard let liveKitClient else { return .notFound }
            return .page(contentType: "text/javascript; charset=utf-8", liveKitClient)
        }
    }

    private func open(
        _ request: HTTPRequest, _ judge: (HTTPRequest) throws(WHIPRefusal) -> DashboardScope
    ) -> HTTPEventDecision {
        do throws(WHIPRefusal) {
            let scope = try judge(request)
            guard feed.admits(scope) else { throw .tooManyWatchers }
            return .accept { [feed] stream in feed.watch(stream, scope) }
        } catch { return .refuse(error.response) }
    }

    private func administrator(_ request: HTTPRequest) throws(WHIPRefusal) -> DashboardScope {
        guard let token = request.bearerToken else { throw .noToken }
        let claims: TokenClaims
        do {
            claims = try AccessToken.verify(token, secrets: configuration.keys, now: Date().timeIntervalSince1970)
        } catch { throw WHIPRefusal(LiveKitRefusal(401, error.description)) }
        guard let scope = DashboardScope(administrator: claims) else { throw .noAdministrator }
        return scope
    }

    /// Whoever may watch a room may know who is to be seen there.
    private func audience(_ request: HTTPRequest) throws(WHIPRefusal) -> DashboardScope {
        guard request.bearerToken != nil else { throw .noToken }
        let known: (claims: TokenClaims, room: String)
        do throws(LiveKitRefusal) { known = try tokens.identify(request) } catch { throw WHIPRefusal(error) }
        guard known.claims.video?.maySubscribe == true else {
            throw WHIPRefusal(403, "the token has not canSubscribe, without which there is nothing to see")
        }
        return .audience(known.room)
    }
}

/// What a page consists of; its style is that of all.
protocol WatchPage: Sendable {
    static var html: String { get }
    static var script: String { get }
}

extension WHIPRefusal {
    static let noAdministrator = WHIPRefusal(
        403,
        "the token is no administrator's; it needs roomAdmin, with roomList for all rooms: callagent token mint --admin"
    )
    static let tooManyWatchers = WHIPRefusal(503, "as many watch as may; close another dashboard")
}

extension HTTPResponse {
    /// Part of a page that loads nothing from elsewhere and stands in no other page.
    fileprivate static func page(contentType: String, _ bytes: some Sequence<UInt8>) -> HTTPResponse {
        var response = HTTPResponse(.ok, contentType: contentType, bytes)
        response.fields = [
            "Content-Security-Policy":
                "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Cache-Control": "no-cache",
        ]
        return response
    }
}
