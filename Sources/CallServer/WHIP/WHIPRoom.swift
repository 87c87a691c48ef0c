import NIOCore
import RTCWire
import RoomModel
import WHIPSignalling

/// The sessions of a room that were begun by HTTP alone.
// Lives on its room's event loop.
final class WHIPRoom: @unchecked Sendable {
    unowned let room: Room
    /// By session.
    private var members: [String: WHIPMember] = [:]

    init(_ room: Room) { self.room = room }

    /// Begins a session with an offer.
    func begin(_ ticket: WHIPTicket, _ request: WHIPRequest, now: Instant) -> WHIPResponse {
        let servers = room.configuration.media.iceServers.issued(to: ticket.sessionID, at: WallClock.milliseconds)
        var session = WHIPSession(
            role: ticket.role, location: WHIPPath.location(ticket.role, room: ticket.room, id: ticket.sessionID),
            salt: String(ticket.sessionID.prefix(12)), iceServers: servers.flatMap(\.links))
        switch session.begin(request) {
        case .reply(let response), .end(let response): return response
        case .negotiate(let offer): return enter(ticket, session, offer, now)
        }
    }

    private func enter(_ ticket: WHIPTicket, _ session: WHIPSession, _ offer: String, _ now: Instant) -> WHIPResponse {
        let earlier = room.machine.roster.participant(identity: ticket.identity)
        guard earlier != nil || room.directory.admits(ticket.newcomer, to: room.name),
            let seat = room.directory.takeSeat(in: room.name, for: ticket.newcomer),
            let member = WHIPMember(ticket, session, in: self, seat: seat)
        else { return Self.full }
        let record = ticket.record(id: member.id, joinedAt: WallClock.milliseconds)
        let answer: String
        do throws(NegotiationFailure) { answer = try member.answer(offer, now: now) } catch {
            member.close()
            return member.session.refused(error.description)
        }
        // Only one who can come takes the earlier self's place.
        guard room.admits(record, replacing: earlier?.id) else {
            member.close()
            return Self.full
        }
        if let earlier { room.remove(earlier.id, .replaced, now: now) }
        members[ticket.sessionID] = member
        room.enter(member, as: record, now: now)
        member.begin(now: now)
        return member.session.answered(answer)
    }

    /// A request to a session.
    ///
    /// - Parameter identity: of the participant whose token it is.
    func handle(_ id: String, _ request: WHIPRequest, of identity: String, now: Instant) -> WHIPResponse {
        guard let member = members[id] else { return .noSession }
        guard member.requests.take(now: now) else {
            return WHIPResponse(
                429, "more than 10 requests a second to one session; send candidates together",
                fields: ["Retry-After": "1"])
        }
        guard identity == member.ticket.claims.identity else {
            return WHIPResponse(403, "the session is another participant's; send the token that began it")
        }
        switch member.session.handle(request) {
        case .reply(let response): return response
        case .end(let response):
            room.remove(member.id, .left, now: now)
            return response
        case .negotiate(let offer):
            do throws(NegotiationFailure) {
                return member.session.restarted(try member.answer(offer, now: now))
            } catch { return member.session.refused(error.description) }
        }
    }

    func forget(_ member: WHIPMember) { members[member.ticket.sessionID] = nil }

    private static let full = WHIPResponse(
        503, "the room or the server is full; try again later, or elsewhere", fields: ["Retry-After": "5"])
}

extension WHIPRoom: RoomListener {
    func opened(_ room: Room) {}

    /// Viewers follow those who publish.
    func room(_ room: Room, did event: RoomEvent, now: Instant) {
        switch event {
        case .published, .unpublished, .left, .concealed, .changed:
            for member in members.values { member.follow(now) }
        default: break
        }
    }

    func closed(_ room: Room, because reason: RoomEndReason) {}
}

extension Room {
    var whip: WHIPRoom { side { WHIPRoom($0) } }
}

extension RoomDirectory {
    func admits(_ newcomer: RoomNewcomer, to room: String) -> Bool {
        if case .free = admission(of: newcomer, to: room) { true } else { false }
    }
}

extension ICEServer {
    var links: [WHIPLink] { urls.map { WHIPLink(url: $0, username: username, credential: credential) } }
}
