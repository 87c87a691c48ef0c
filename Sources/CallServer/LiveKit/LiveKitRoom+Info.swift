import LiveKitProtocol
import NIOCore
import RTCWire

extension LiveKitRoom {
    /// Something about the room has changed that its participants see: they are told, at most once in a while.
    func noteRoomChange() {
        guard roomUpdate == nil, !isClosed else { return }
        roomUpdate = eventLoop.scheduleTask(in: .milliseconds(Int64(timing.roomUpdates))) { [weak self] in
            guard let self else { return }
            roomUpdate = nil
            timed("room update") { room, _ in room.tellRoom() }
        }
    }

    /// Tells everybody of the room.
    func tellRoom() {
        let message = Livekit_SignalResponse.with { $0.roomUpdate.room = info }
        let binary = message.wireBytes
        for participant in participants.values { participant.send(message, binary: binary) }
    }

    /// Changes what is known of a participant's track, published or announced, and tells everybody; false where the
    /// participant has no such track.
    func updateTrack(
        _ sid: String, of participant: LiveKitParticipant, now: Instant, _ change: (inout Livekit_TrackInfo) -> Void
    ) -> Bool {
        if let pending = participant.pendingTracks.first(where: { $0.sid == sid }) {
            change(&pending.info)
            return true
        }
        guard let track = tracks[sid], track.publisher == participant.sid else { return false }
        var info = track.info
        change(&info)
        guard info != track.info else { return true }
        track.info = info
        update(participant.sid, atOnce: true, now: now) { _ in }
        return true
    }
}
