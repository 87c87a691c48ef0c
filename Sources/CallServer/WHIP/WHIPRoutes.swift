import LiveKitProtocol
import NIOCore
import NIOHTTP1
import RTCTransport
import RTCWire
import WHIPSignalling

/// The HTTP paths of WHIP and WHEP, and who is let in: `/whip/{room}`, `/whep/{room}[/{participant}]`, and the sessions
/// below them.
struct WHIPRoutes: Sendable {
    private let configuration: CallServerConfiguration
    private let directory: RoomDirectory
    private let tokens: LiveKitRoutes
    private let places: WHIPPlaces

    init(configuration: CallServerConfiguration, directory: RoomDirectory) {
        self.configuration = configuration
        self.directory = directory
        tokens = LiveKitRoutes(configuration: configuration, directory: directory)
        places = WHIPPlaces(configuration.watching)
    }

    /// Adds the paths to a server's.
    func add(to router: inout HTTPRouter) {
        guard configuration.watching.whip else { return }
        let gate = HTTPBodyGate(bytes: WHIPSession.largestOffer) { request in
            do throws(WHIPRefusal) {
                guard WHIPPath(request.path) != nil else { return WHIPRefusal.noPath.response }
                // A token that no longer holds may still end or change what it began.
                if case .endpoint(let role, let room, _)? = WHIPPath(request.path) {
                    _ = try identify(request, role, room)
                } else if request.bearerToken == nil {
                    throw .noToken
                }
                return nil
            } catch { return error.response }
        }
        for role in WHIPRole.allCases { router.any("/\(role.rawValue)/*", body: gate, later: respond) }
    }

    private func respond(_ request: HTTPRequest, _ eventLoop: any EventLoop) -> EventLoopFuture<HTTPResponse> {
        do throws(WHIPRefusal) {
            switch WHIPPath(request.path) {
            case .endpoint(let role, let room, let subject)?:
                guard request.method == .POST else {
                    let response = WHIPSession.endpoint(request.method.rawValue)
                    return eventLoop.makeSucceededFuture(HTTPResponse(response))
                }
                return try begin(request, role, room, subject, eventLoop)
            case .session(_, let room, let id)?: return try change(request, room, id, eventLoop)
            case nil: throw .noPath
            }
        } catch { return eventLoop.makeSucceededFuture(error.response) }
    }

    // MARK: Sessions

    private func begin(
        _ request: HTTPRequest, _ role: WHIPRole, _ room: String, _ subject: String?, _ eventLoop: any EventLoop
    ) throws(WHIPRefusal) -> EventLoopFuture<HTTPResponse> {
        let claims = try identify(request, role, room)
        guard (subject ?? "").utf8.count <= configuration.limits.text.name else { throw .noPath }
        let address = request.remoteAddress?.ipAddress ?? ""
        let now = MonotonicClock.now()
        guard places.mayBegin(address, now: now), directory.mayJoinAgain(room, claims.identity, now: now) else {
            throw .tooOften
        }
        let viewer = role == .viewer ? "\(room.utf8.count) \(room) \(claims.identity)" : nil
        guard let place = places.take(address: address, viewer: viewer) else { throw .tooMany }
        guard configuration.rooms.autoCreates || directory.existingRoom(named: room) != nil else { throw .noRoom }
        let ticket = WHIPTicket(
            role: role, room: room, subject: subject, claims: claims, place: place)
        guard directory.existingRoom(named: room) != nil || directory.admits(ticket.newcomer, to: room) else {
            throw .full
        }
        return begin(ticket, WHIPRequest(request), eventLoop)
    }

    private func begin(
        _ ticket: WHIPTicket, _ request: WHIPRequest, _ eventLoop: any EventLoop
    ) -> EventLoopFuture<HTTPResponse> {
        let room = directory.room(named: ticket.room) { $0.apply(ticket.claims.roomConfig) }
        return room.eventLoop.flatSubmit {
            // It has closed since: there is none of that name now.
            guard !room.isClosed else { return begin(ticket, request, eventLoop) }
            let response = room.loop.meter.measure(.message, "whip offer") { room.whip.begin(ticket, request, now: $0) }
            return room.eventLoop.makeSucceededFuture(HTTPResponse(response))
        }
    }

    private func change(
        _ request: HTTPRequest, _ name: String, _ id: String, _ eventLoop: any EventLoop
    ) throws(WHIPRefusal) -> EventLoopFuture<HTTPResponse> {
        guard request.method != .OPTIONS else {
            return eventLoop.makeSucceededFuture(HTTPResponse(WHIPSession.options))
        }
        let identity = try owner(request, of: name)
        guard let room = directory.existingRoom(named: name) else {
            return eventLoop.makeSucceededFuture(HTTPResponse(.noSession))
        }
        let request = WHIPRequest(request)
        return room.eventLoop.submit {
            HTTPResponse(
                room.loop.meter.measure(.message, "whip request") {
                    room.whip.handle(id, request, of: identity, now: $0)
                })
        }
    }

    // MARK: Tokens

    /// Whose token it is, however old: who has begun a session may end it.
    private func owner(_ request: HTTPRequest, of room: String) throws(WHIPRefusal) -> String {
        guard let token = request.bearerToken else { throw .noToken }
        do {
            let said = try AccessToken.inspect(token)
            let claims = try AccessToken.verify(
                token, secrets: configuration.keys, now: said.expires ?? said.notBefore ?? 0)
            guard claims.video?.room == room else { throw AccessTokenError.notAToken }
            return claims.identity
        } catch {
            throw WHIPRefusal(LiveKitRefusal(401, "\(error); send the token that began the session"))
        }
    }

    /// Whose token it is; it must be for that room, and for what the role does.
    private func identify(
        _ request: HTTPRequest, _ role: WHIPRole, _ room: String
    ) throws(WHIPRefusal) -> TokenClaims {
        guard request.bearerToken != nil else { throw .noToken }
        let known: (claims: TokenClaims, room: String)
        do throws(LiveKitRefusal) { known = try tokens.identify(request) } catch { throw WHIPRefusal(error) }
        guard known.room == room else {
            throw WHIPRefusal(403, "the token is for another room than \"\(room.printable(limit: 64))\"")
        }
        let grant = known.claims.video ?? VideoGrant()
        switch role {
        case .publisher where !grant.mayPublish:
            throw WHIPRefusal(403, "the token has not canPublish, which WHIP needs")
        case .viewer where !grant.maySubscribe:
            throw WHIPRefusal(403, "the token has not canSubscribe, which WHEP needs")
        case .publisher, .viewer: return known.claims
        }
    }
}
