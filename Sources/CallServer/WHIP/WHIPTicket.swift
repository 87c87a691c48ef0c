import LiveKitProtocol
import RoomModel
import WHIPSignalling

/// Somebody who has been let in by a token, and wants a session.
struct WHIPTicket: Sendable {
    let role: WHIPRole
    let room: String
    /// Of a viewer: whose media it wants; nil for whoever publishes first.
    let subject: String?
    let claims: TokenClaims
    let place: WHIPPlaces.Place
    /// Nobody guesses it.
    let sessionID = SessionID.trailer()

    /// As the room knows it. Viewers are no second self of a participant: one may watch and publish by the same token.
    var identity: String {
        role == .publisher ? claims.identity : "\(claims.identity)~whep-\(sessionID.prefix(8))"
    }

    /// What a participant of that kind is: publishers are listed and get nothing, viewers are an audience that nobody is told of.
    func record(id: String, joinedAt: Int64) -> RoomParticipant {
        let ticket = LiveKitTicket(claims: claims, room: room, isSingleConnection: true)
        let granted = RoomParticipant(ticket, id: id, joinedAt: joinedAt)
        var permissions = granted.permissions
        permissions.canPublishData = false
        permissions.canUpdateMetadata = false
        switch role {
        case .publisher: permissions.canSubscribe = false
        case .viewer:
            permissions.canPublish = false
            permissions.isHidden = true
        }
        return RoomParticipant(
            id: id, identity: identity, name: granted.name, metadata: granted.metadata, attributes: granted.attributes,
            permissions: permissions, joinedAt: joinedAt, subscribesToAll: false)
    }

    var newcomer: RoomNewcomer {
        RoomNewcomer(
            identity: identity,
            description: DescriptionSize.participant(
                identity: identity, name: claims.name ?? "", metadata: claims.metadata ?? "",
                attributes: claims.attributes ?? [:]))
    }
}
