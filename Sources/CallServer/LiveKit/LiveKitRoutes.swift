import Foundation
import LiveKitProtocol
import NIOHTTP1
import RTCTransport

/// LiveKit's HTTP paths, and who is let in.
struct LiveKitRoutes: Sendable {
    let configuration: CallServerConfiguration
    let directory: RoomDirectory

    /// Adds LiveKit's paths to a server's.
    func add(to router: inout HTTPRouter) {
        router.get("/rtc/validate", respond)
        router.get("/rtc/v1/validate", respond)
        router.webSocket("/rtc", plain: respond, decide: decide)
        router.webSocket("/rtc/v1", plain: respond, decide: decide)
    }

    private func decide(_ request: HTTPRequest) -> WebSocketDecision {
        do throws(LiveKitRefusal) {
            let ticket = try admit(request)
            guard directory.mayJoinAgain(ticket.room, ticket.identity, now: MonotonicClock.now()) else {
                throw LiveKitRefusal.joinsTooOften
            }
            return .accept { channel in
                let session = LiveKitSession(
                    channel: channel, ticket: ticket, directory: directory, logger: configuration.logger)
                session.begin()
                return session
            }
        } catch {
            return .refuse(error.response)
        }
    }

    private func respond(to request: HTTPRequest) -> HTTPResponse {
        switch request.path {
        case "/rtc/validate", "/rtc/v1/validate":
            var response = check(request) ?? HTTPResponse(.ok, "success")
            response.fields["Access-Control-Allow-Origin"] = "*"
            return response
        case "/rtc", "/rtc/v1":
            // A bad token is said before the missing upgrade; a missing one only to those who try to upgrade.
            let hasToken = LiveKitRoutes.token(request) != nil
            return hasToken ? check(request) ?? .notFound : .notFound
        default: return .notFound
        }
    }

    /// Who asks by a token, for which room, whatever the way in.
    func identify(_ request: HTTPRequest) throws(LiveKitRefusal) -> (claims: TokenClaims, room: String) {
        let claims = try verify(request)
        guard let video = claims.video, video.roomJoin == true else { throw LiveKitRefusal(401, "permissions denied") }
        let limit = configuration.limits.text.name
        guard !claims.identity.isEmpty else { throw LiveKitRefusal(400, "identity cannot be empty") }
        guard claims.identity.utf8.count <= limit else {
            throw LiveKitRefusal(400, "participant identity length exceeds limits: max length \(limit)")
        }
        guard (claims.name ?? "").utf8.count <= limit else {
            throw LiveKitRefusal(400, "name length exceeds limits: max length \(limit)")
        }
        guard let room = video.room, !room.isEmpty else { throw LiveKitRefusal(400, "no room name") }
        guard room.utf8.count <= limit else {
            throw LiveKitRefusal(400, "room name length exceeds limits: max length \(limit)")
        }
        try checkSession(room, key: claims.issuer)
        return (claims, room)
    }

    /// The participant that a request is about.
    func admit(_ request: HTTPRequest) throws(LiveKitRefusal) -> LiveKitTicket {
        let (claims, room) = try identify(request)
        // Whoever sends a join request means one connection, by whichever path.
        let isV1 = request.path.hasPrefix("/rtc/v1") || request["join_request"]?.isEmpty == false
        var ticket = LiveKitTicket(claims: claims, room: room, isSingleConnection: isV1)
        if isV1 {
            try JoinRequestReader.read(request, into: &ticket)
        } else {
            try JoinQueryReader.read(request, into: &ticket, isStrict: request.path.hasSuffix("/validate"))
        }
        try checkSizes(ticket)
        guard configuration.rooms.autoCreates || directory.existingRoom(named: room) != nil else {
            throw LiveKitRefusal(404, "requested room does not exist")
        }
        // Whoever comes back has a seat, or is told so in its own words.
        if !ticket.reconnects { try checkRoom(ticket) }
        return ticket
    }

    /// A room that is a session of the other dialect is its project's.
    private func checkSession(_ room: String, key: String) throws(LiveKitRefusal) {
        switch SessionRoomName(room)?.refusal(key: key, of: configuration.keys.keys) {
        case .foreign: throw LiveKitRefusal(403, "the session belongs to another API key; sign the token with that one")
        case .relayed:
            throw LiveKitRefusal(
                403, "the session is relayed, past the server: nobody here could hear it; create a routed one")
        case nil: break
        }
    }

    /// Clients try again elsewhere where the server is full, and not where the room is.
    private func checkRoom(_ ticket: LiveKitTicket) throws(LiveKitRefusal) {
        switch directory.admission(of: ticket.newcomer, to: ticket.room) {
        case .free: break
        case .serverIsFull: throw LiveKitRefusal(503, "node has exceeded its configured limit")
        case .roomIsFull: throw .roomIsFull
        case .tooManyConnections: throw LiveKitRefusal(429, "the participant has too many connections that publish")
        }
    }

    private func check(_ request: HTTPRequest) -> HTTPResponse? {
        do {
            _ = try admit(request)
            return nil
        } catch {
            return error.response
        }
    }

    private func verify(_ request: HTTPRequest) throws(LiveKitRefusal) -> TokenClaims {
        guard let token = LiveKitRoutes.token(request) else {
            throw LiveKitRefusal(401, "no permissions to access the room")
        }
        do {
            return try AccessToken.verify(
                token, secrets: configuration.keys, now: Date().timeIntervalSince1970)
        } catch {
            throw LiveKitRefusal(401, error.description)
        }
    }

    private func checkSizes(_ ticket: LiveKitTicket) throws(LiveKitRefusal) {
        let limits = configuration.limits
        guard ticket.metadata.utf8.count <= limits.text.metadata,
            RequestBounds.attributeBytes(ticket.attributes) <= limits.text.attributes,
            ticket.attributes.count <= RequestBounds.attributes
        else { throw LiveKitRefusal(400, "metadata or attributes are too large") }
        guard ticket.identity.utf8.count <= limits.text.name, ticket.addTracks.count <= limits.tracks,
            (ticket.participantID ?? "").utf8.count <= limits.text.name
        else { throw LiveKitRefusal(400, "the join request has names or lists that are too long") }
    }

    /// The query counts only where there is no header.
    private static func token(_ request: HTTPRequest) -> String? {
        if request.authorization != nil { return request.bearerToken ?? "" }
        return request["access_token"]
    }
}
