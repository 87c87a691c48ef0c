import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

extension LiveKitRoom {
    /// A client that was here wants to go on. One that is not known any more is told to join anew, which it does by itself.
    func resume(_ session: LiveKitSession, now: Instant) {
        let known = model.participant(identity: session.ticket.identity).flatMap { participants[$0.id] }
        if let known, known.canResume(session.ticket) { return known.resume(session, now: now) }
        session.refuseResume()
    }

    func reconnectResponse(for participant: LiveKitParticipant) -> Livekit_ReconnectResponse {
        .with {
            $0.iceServers = configuration.iceServers.map(\.wire)
            $0.serverInfo = LiveKitRoom.serverInfo
            $0.lastMessageSeq = data.lastSequence(of: participant.sid)
        }
    }

    /// Everybody whom a participant may know of, and itself.
    func allInfos(for participant: LiveKitParticipant) -> [Livekit_ParticipantInfo] {
        model.participants.compactMap { record in
            guard record.id == participant.sid || !record.permissions.isHidden, let other = participants[record.id]
            else { return nil }
            return info(of: record, other)
        }
    }
}
