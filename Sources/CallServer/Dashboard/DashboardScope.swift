import LiveKitProtocol

/// What of the server somebody may see.
enum DashboardScope: Hashable, Sendable {
    /// Every room, and the journal.
    case server(key: String)
    /// One room, with its part of the journal.
    case room(String)
    /// Who publishes in a room, as everybody in it is told: for the join page.
    case audience(String)

    /// What a token lets somebody watch; nil for one that isn't an administrator's.
    init?(administrator claims: TokenClaims) {
        let grant = claims.video ?? VideoGrant()
        guard grant.roomAdmin == true else { return nil }
        if grant.roomList == true {
            self = .server(key: claims.issuer)
        } else if let room = grant.room, !room.isEmpty {
            self = .room(room)
        } else {
            return nil
        }
    }

    /// The one room that it is about; nil for all.
    var room: String? {
        switch self {
        case .server: nil
        case .room(let name), .audience(let name): name
        }
    }

    var isAudience: Bool { if case .audience = self { true } else { false } }
}
