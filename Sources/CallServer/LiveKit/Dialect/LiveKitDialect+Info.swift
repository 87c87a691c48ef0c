import Foundation
import LiveKitProtocol
import RoomModel

/// Participants and the room as the messages have them.
extension LiveKitDialect {
    func info(of record: RoomParticipant) -> Livekit_ParticipantInfo {
        let ticket = tickets[record.id]
        return .with {
            $0.sid = record.id
            $0.identity = record.identity
            $0.state = record.state.wire
            $0.tracks = record.tracks.map { tracks.info(of: $0) }
            $0.metadata = record.metadata
            $0.joinedAt = record.joinedAt / 1000
            $0.joinedAtMs = record.joinedAt
            $0.name = record.name
            $0.version = record.version
            $0.permission = record.permissions.wire
            $0.isPublisher = record.isPublisher
            $0.kind = Self.kinds[ticket?.claims.kind ?? ""] ?? .standard
            $0.attributes = record.attributes
            $0.clientProtocol = ticket?.client.clientProtocol ?? 0
            $0.capabilities = ticket?.client.capabilities ?? []
        }
    }

    func info(of room: LiveKitRoomView) -> Livekit_Room {
        let records = room.machine.roster.participants
        return .with {
            $0.sid = identity.sid
            $0.name = identity.name
            $0.emptyTimeout = UInt32(clamping: room.settings.emptyTimeout)
            $0.departureTimeout = UInt32(clamping: room.settings.departureTimeout)
            $0.maxParticipants = UInt32(clamping: room.settings.maxParticipants)
            $0.creationTime = identity.createdAt / 1000
            $0.creationTimeMs = identity.createdAt
            $0.enabledCodecs = LiveKitCodecs.ofRoom
            $0.metadata = room.settings.metadata
            $0.numParticipants = UInt32(clamping: records.count { !isDependent($0) && !$0.permissions.isHidden })
            $0.activeRecording = records.contains(where: isRecorder)
            $0.numPublishers = UInt32(clamping: records.count { $0.isPublisher && !$0.permissions.isHidden })
        }
    }

    /// Records the room.
    private func isRecorder(_ record: RoomParticipant) -> Bool {
        tickets[record.id]?.claims.kind == "egress" || record.permissions.isRecorder
    }

    /// Serves or records the others, and doesn't count as one of them.
    private func isDependent(_ record: RoomParticipant) -> Bool { isRecorder(record) || isAgent(record) }

    /// May speak in the names of others.
    func isAgent(_ record: RoomParticipant) -> Bool {
        tickets[record.id]?.claims.kind == "agent" || record.permissions.isAgent
    }

    /// Everybody whom a participant may know of; with itself, or without.
    func infos(for participant: String, withItself: Bool, in room: LiveKitRoomView) -> [Livekit_ParticipantInfo] {
        room.machine.roster.participants
            .filter { $0.id == participant ? withItself : !$0.permissions.isHidden }
            .map { info(of: $0) }
    }

    /// What a join is answered with.
    func joinResponse(
        to record: RoomParticipant, _ ticket: LiveKitTicket, _ room: LiveKitRoomView
    ) -> Livekit_JoinResponse {
        .with {
            $0.room = info(of: room)
            $0.participant = info(of: record)
            $0.otherParticipants = infos(for: record.id, withItself: false, in: room)
            $0.serverVersion = Self.version
            $0.subscriberPrimary = ticket.isSubscriberPrimary
            $0.pingInterval = 5
            $0.pingTimeout = 15
            $0.serverInfo = Self.serverInfo
            $0.iceServers = server.iceServers.issued(to: record.id, at: record.joinedAt).map(\.wire)
            $0.sifTrailer = Data(room.settings.injectionTrailer.utf8)
            $0.enabledPublishCodecs = LiveKitCodecs.forPublishing
            $0.fastPublish = ticket.grant.mayPublish
        }
    }

    /// What a client is told that comes back to signalling: whoever is not mentioned is gone for it.
    ///
    /// - Parameters:
    ///   - sequence: the number of the last reliable data packet that has come from it.
    ///   - time: milliseconds since 1970.
    func resumption(
        of participant: String, lastMessage sequence: UInt32, at time: Int64, in room: LiveKitRoomView
    ) -> [Livekit_SignalResponse] {
        let answer = Livekit_ReconnectResponse.with {
            $0.iceServers = server.iceServers.issued(to: participant, at: time).map(\.wire)
            $0.serverInfo = Self.serverInfo
            $0.lastMessageSeq = sequence
        }
        return [
            .with { $0.reconnect = answer }, .participants(infos(for: participant, withItself: true, in: room)),
            .room(info(of: room)),
        ]
    }

    /// With what a client can come back: what it may do now, for as long as its own token or ten minutes.
    ///
    /// - Parameter now: seconds since 1970.
    func refreshedClaims(of record: RoomParticipant, now: Double) -> TokenClaims? {
        guard var claims = tickets[record.id]?.claims else { return nil }
        let remaining = (claims.expires ?? now) - now
        claims.subject = record.identity
        claims.notBefore = now
        claims.expires = now + max(600, remaining.rounded())
        claims.name = record.name.isEmpty ? nil : record.name
        claims.metadata = record.metadata.isEmpty ? nil : record.metadata
        claims.attributes = record.attributes.isEmpty ? nil : record.attributes
        claims.video?.apply(record.permissions)
        return claims
    }

    private static let serverInfo = Livekit_ServerInfo.with {
        $0.edition = .standard
        $0.version = version
        $0.protocol = protocolNumber
        $0.nodeID = node
        $0.agentProtocol = 1
    }

    /// The LiveKit release whose behaviour is followed; clients compare it.
    private static let version = "1.13.5"
    /// 18 would make clients open their data channels without telling us.
    private static let protocolNumber: Int32 = 17
    private static let node = SessionID.node()
    private static let kinds: [String: Livekit_ParticipantInfo.Kind] = [
        "standard": .standard, "ingress": .ingress, "egress": .egress, "sip": .sip, "agent": .agent,
        "connector": .connector, "bridge": .bridge,
    ]
}
