import CallModel
import LiveKitProtocol
import NIOConcurrencyHelpers

/// Writes the call journal of what happens in rooms. A call that was rung is the exchange's, which is told who comes and
/// goes; any other begins with the first one in a room and ends with the last.
final class RoomJournal: RoomObserver {
    private struct Room {
        var calls = 0
        /// Of a room that is a session: what its call is to the bridge.
        var conversation: String?
        var scribe: CallScribe?
        /// By identity and track; also of those who are not connected yet.
        var media: [String: [String: PublishedMedia]] = [:]

        func published(by identity: String) -> PublishedMedia {
            let tracks = media[identity]?.values
            return PublishedMedia(
                audio: tracks?.contains(.audio) ?? false, video: tracks?.contains(.video) ?? false)
        }
    }

    private let hub: RingHub
    private let journal: CallJournal
    private let rooms = NIOLockedValueBox<[String: Room]>([:])
    /// The conversation whose call is in the room of that name.
    private let lookUp: @Sendable (String) -> String?

    init(hub: RingHub, journal: CallJournal, conversation: @escaping @Sendable (String) -> String? = { _ in nil }) {
        self.hub = hub
        self.journal = journal
        lookUp = conversation
    }

    /// A session's name is its id, of which ringing knows nothing.
    private func conversation(of room: Livekit_Room) -> String {
        guard SessionRoomName(room.name) != nil else { return room.name }
        if let known = rooms.withLockedValue({ $0[room.sid]?.conversation }) { return known }
        guard let found = lookUp(room.name) else { return room.name }
        rooms.withLockedValue { $0[room.sid, default: Room()].conversation = found }
        return found
    }

    func room(_ room: Livekit_Room, did event: RoomObservation) {
        switch event {
        case .started: break
        case .finished(let reason): finished(room, reason)
        // An audience that nobody is told of is not in the call: viewers by WHEP, who records unseen.
        case .participantJoined(let info), .trackPublished(_, let info), .trackUnpublished(_, let info):
            if !info.permission.hidden { take(event, info, room) }
        // Who has hidden meanwhile leaves all the same.
        case .participantLeft(let info), .participantAborted(let info): take(event, info, room)
        }
    }

    private func take(_ event: RoomObservation, _ info: Livekit_ParticipantInfo, _ room: Livekit_Room) {
        switch event {
        case .started, .finished: break
        case .participantJoined: joined(room, info)
        case .participantLeft: left(room, info)
        // Nobody who never was connected has come into the journal, but by ringing: there the exchange's time runs.
        case .participantAborted:
            rooms.withLockedValue { $0[room.sid]?.media[info.identity] = nil }
        case .trackPublished(let track, _): changed(room, track, info) { $0[track.sid] = Self.media(track) }
        case .trackUnpublished(let track, _): changed(room, track, info) { $0[track.sid] = nil }
        }
    }

    // MARK: Coming and going

    private func joined(_ room: Livekit_Room, _ info: Livekit_ParticipantInfo) {
        let media = rooms.withLockedValue { $0[room.sid]?.published(by: info.identity) ?? .none }
        if let call = rungCall(of: room) {
            return hub.event(call) {
                $0.entered(info.identity, at: $1, into: &$2)
                $0.connected(info.identity, at: $1, into: &$2)
                if media != .none { $0.published(media, by: info.identity, at: $1, into: &$2) }
            }
        }
        scribe(of: room, initiator: info.identity).write {
            $0.initiate(at: $1, into: &$2)
            $0.join(info.identity, at: $1, into: &$2)
            $0.connect(info.identity, at: $1, into: &$2)
            // Clients that offer with their first message publish before they are connected.
            if media != .none { $0.publish(media, by: info.identity, at: $1, into: &$2) }
        }
    }

    /// The call of the exchange that a room's events belong to: never one that was placed while another was under way here.
    private func rungCall(of room: Livekit_Room) -> String? {
        guard rooms.withLockedValue({ $0[room.sid]?.scribe?.isOpen }) != true else { return nil }
        return hub.call(ofConversation: conversation(of: room))
    }

    /// Whether a call that was not rung is under way in the room of that name.
    func hasCall(in conversation: String) -> Bool {
        rooms.withLockedValue { rooms in
            rooms.values.contains { $0.scribe?.isOpen == true && $0.scribe?.record.conversationId == conversation }
        }
    }

    private func left(_ room: Livekit_Room, _ info: Livekit_ParticipantInfo) {
        let reason = Self.leftReason(info.disconnectReason)
        if let call = rungCall(of: room) {
            rooms.withLockedValue { $0[room.sid]?.media[info.identity] = nil }
            return hub.event(call) { $0.left(info.identity, reason, at: $1, into: &$2) }
        }
        rooms.withLockedValue { rooms in
            rooms[room.sid]?.media[info.identity] = nil
            guard let scribe = rooms[room.sid]?.scribe else { return }
            scribe.write {
                $0.leave(info.identity, reason, at: $1, into: &$2)
                if $0.present.isEmpty { $0.end(Self.endReason(info.disconnectReason), at: $1, into: &$2) }
            }
            if !scribe.isOpen { rooms[room.sid]?.scribe = nil }
        }
    }

    private func finished(_ room: Livekit_Room, _ reason: Livekit_RoomEndReason) {
        let scribe = rooms.withLockedValue { $0.removeValue(forKey: room.sid)?.scribe }
        scribe?.write { $0.end(.conversationEnded, at: $1, into: &$2) }
    }

    private func scribe(of room: Livekit_Room, initiator: String) -> CallScribe {
        let conversation = conversation(of: room)
        return rooms.withLockedValue { rooms in
            if let scribe = rooms[room.sid]?.scribe { return scribe }
            var entry = rooms[room.sid] ?? Room()
            entry.calls += 1
            let record = CallRecord(
                id: "\(room.sid)-\(entry.calls)", conversationId: conversation, serviceProviderCallId: room.sid,
                serviceProviderType: SessionRoomName(room.name) == nil ? "LIVEKIT" : "OPENTOK",
                initiatorPersonId: initiator, callType: .audio)
            let scribe = CallScribe(record, journal: journal)
            entry.scribe = scribe
            rooms[room.sid] = entry
            return scribe
        }
    }

    // MARK: Media

    private func changed(
        _ room: Livekit_Room, _ track: Livekit_TrackInfo, _ info: Livekit_ParticipantInfo,
        _ change: (inout [String: PublishedMedia]) -> Void
    ) {
        let media = rooms.withLockedValue { rooms in
            var tracks = rooms[room.sid, default: Room()].media[info.identity] ?? [:]
            change(&tracks)
            rooms[room.sid, default: Room()].media[info.identity] = tracks.isEmpty ? nil : tracks
            return rooms[room.sid]?.published(by: info.identity) ?? .none
        }
        if let call = rungCall(of: room) {
            return hub.event(call) { $0.published(media, by: info.identity, at: $1, into: &$2) }
        }
        let scribe = rooms.withLockedValue { $0[room.sid]?.scribe }
        scribe?.write { $0.publish(media, by: info.identity, at: $1, into: &$2) }
    }

    private static func media(_ track: Livekit_TrackInfo) -> PublishedMedia {
        switch track.type {
        case .audio: .audio
        case .video: .video
        default: .none
        }
    }

    // MARK: Reasons

    static func leftReason(_ reason: Livekit_DisconnectReason) -> ParticipantLeftReason {
        switch reason {
        case .clientInitiated: .hangUp
        case .participantRemoved: .removed
        case .roomDeleted, .roomClosed: .callEnded
        case .serverShutdown, .stateMismatch, .joinFailure, .signalClose, .connectionTimeout, .mediaFailure:
            .systemAbort
        default: .unknown
        }
    }

    static func endReason(_ reason: Livekit_DisconnectReason) -> CallEndReason {
        switch reason {
        case .serverShutdown: .systemShutdown
        case .roomDeleted: .conversationEnded
        default: .lastMandatoryParticipantLeft
        }
    }
}

/// Tells several observers of the same rooms.
struct RoomObservers: RoomObserver {
    let observers: [any RoomObserver]

    init(_ observers: [any RoomObserver]) { self.observers = observers }

    func room(_ room: Livekit_Room, did event: RoomObservation) {
        for observer in observers { observer.room(room, did: event) }
    }
}
