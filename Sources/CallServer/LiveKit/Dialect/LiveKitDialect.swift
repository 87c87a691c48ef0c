import LiveKitProtocol
import RTCWire
import RoomModel

/// What LiveKit's words say of a room. Events go in and messages come out; clients' messages go in and commands come out.
///
/// A value without socket, clock or task: the room's shell sends, and hands the time in.
struct LiveKitDialect {
    /// What is the same for all of a server's rooms.
    let server: LiveKitServerFacts
    let identity: LiveKitRoomIdentity
    /// What clients have asked for and may do, by participant; those of other dialects have none.
    private(set) var tickets: [String: LiveKitTicket] = [:]
    var tracks = LiveKitTracks()
    /// Bytes of what newcomers are told.
    private(set) var description: RoomDescription
    private var updates = ParticipantUpdates()
    /// When everybody is told what the room has become.
    private var roomUpdate: Instant?

    init(server: LiveKitServerFacts, identity: LiveKitRoomIdentity) {
        self.server = server
        self.identity = identity
        description = RoomDescription(limit: server.limits.roomDescription)
    }

    // MARK: Clients

    /// A client is going to join, or has come back with newer claims.
    mutating func note(_ ticket: LiveKitTicket, of participant: String) { tickets[participant] = ticket }

    /// Those of the room who speak this dialect, in the order in which they came.
    func clients(in room: RoomMachine) -> [String] {
        room.roster.participants.map(\.id).filter { tickets[$0] != nil }
    }

    // MARK: Bounds

    /// Whether the room may be described so, with this participant as `record` says and one track more; noted where it may.
    mutating func describes(
        _ record: RoomParticipant, adding track: Livekit_TrackInfo? = nil, replacing earlier: String? = nil
    ) -> Bool {
        var size = DescriptionSize.participant(
            identity: record.identity, name: record.name, metadata: record.metadata, attributes: record.attributes)
        for published in record.tracks { size += DescriptionSize.track(tracks.info(of: published)) }
        for announced in tracks.announced(by: record.id) { size += DescriptionSize.track(announced.info) }
        if let track { size += DescriptionSize.track(track) }
        return description.describe(record.id, size, replacing: earlier)
    }

    /// Somebody who was described doesn't come.
    mutating func forget(_ participant: String) { description.remove(participant) }

    /// The same for the room's own metadata.
    mutating func describes(metadata: String) -> Bool {
        description.describe(identity.sid, DescriptionSize.text(metadata))
    }

    // MARK: Events

    /// What an event has the room's clients and observers be told.
    mutating func translate(
        _ event: RoomEvent, in room: LiveKitRoomView, now: Instant, into actions: inout [LiveKitAction]
    ) {
        switch event {
        case .joined(let record): join(record, room, &actions)
        case .activated(let record):
            announce(record, atOnce: false, room, now, &actions)
            observe(.participantJoined(info(of: record)), room, &actions)
        case .changed(let record, let origin): change(record, by: origin, room, now, &actions)
        case .concealed(let record): conceal(record, room, &actions)
        case .left(let gone, let reason, let wasActive): leave(gone, reason, wasActive: wasActive, room, now, &actions)
        case .published(let track, let publisher): publish(track, by: publisher, room, now, &actions)
        case .unpublished(let track, let publisher, let reason):
            unpublish(track, by: publisher, reason, room, now, &actions)
        case .renewed(_, let publisher), .described(_, let publisher), .muted(_, let publisher):
            announce(publisher, atOnce: true, room, now, &actions)
        default: if let one = event.addressee { translate(event, for: one, room, &actions) }
        }
        if event.changesRoom, roomUpdate == nil {
            roomUpdate = now + .milliseconds(server.timing.roomUpdates)
        }
    }

    /// What only one client is told.
    private func translate(
        _ event: RoomEvent, for participant: String, _ room: LiveKitRoomView, _ actions: inout [LiveKitAction]
    ) {
        guard let ticket = tickets[participant], let message = message(event, room, protocol: ticket.client.protocol)
        else { return }
        actions.append(.send(message, to: participant))
    }

    private func message(
        _ event: RoomEvent, _ room: LiveKitRoomView, protocol number: Int32
    ) -> Livekit_SignalResponse? {
        switch event {
        case .muteOrdered(let track, _, let isMuted): .mute(track.id, isMuted)
        case .permission(let subscription, let isAllowed): .permission(subscription, isAllowed: isAllowed)
        case .heeded(let track, _): .subscribed(track)
        case .speakers(let speakers, _): .speakers(speakers)
        case .quality(let ratings, _) where number > 4: .quality(ratings, protocol: number)
        case .demand(let id, _, let layer): room.machine.track(id).map { .demand($0, layer: layer) }
        default: nil
        }
    }

    // MARK: Time

    /// When `advance` has something to do.
    var nextDeadline: Instant { min(updates.deadline ?? .distantFuture, roomUpdate ?? .distantFuture) }

    mutating func advance(to now: Instant, in room: LiveKitRoomView, into actions: inout [LiveKitAction]) {
        if let due = roomUpdate, due <= now {
            roomUpdate = nil
            tellRoom(room, into: &actions)
        }
        let infos = updates.due(now)
        if !infos.isEmpty { broadcast(infos, room, &actions) }
    }

    /// Tells everybody what the room is like.
    func tellRoom(_ room: LiveKitRoomView, into actions: inout [LiveKitAction]) {
        actions.append(.broadcast(.room(info(of: room)), to: clients(in: room.machine)))
    }

    // MARK: Presence

    private mutating func join(_ record: RoomParticipant, _ room: LiveKitRoomView, _ actions: inout [LiveKitAction]) {
        updates.admit(record.id)
        guard let ticket = tickets[record.id] else {
            _ = describes(record)
            return
        }
        actions.append(.send(.with { $0.join = joinResponse(to: record, ticket, room) }, to: record.id))
    }

    private mutating func change(
        _ record: RoomParticipant, by origin: ParticipantChange.Origin, _ room: LiveKitRoomView, _ now: Instant,
        _ actions: inout [LiveKitAction]
    ) {
        announce(record, atOnce: origin == .administrator, room, now, &actions)
        for track in tracks.dropAnnounced(by: record.id, notAllowedBy: record.permissions) {
            actions.append(.send(.unpublished(track.sid), to: record.id))
        }
    }

    /// To the others somebody who hides has gone.
    private func conceal(_ record: RoomParticipant, _ room: LiveKitRoomView, _ actions: inout [LiveKitAction]) {
        var info = self.info(of: record)
        info.state = .disconnected
        let others = clients(in: room.machine).filter { $0 != record.id }
        actions.append(.broadcast(.participants([info]), to: others))
    }

    private mutating func leave(
        _ gone: RoomParticipant, _ reason: DepartureReason, wasActive: Bool, _ room: LiveKitRoomView, _ now: Instant,
        _ actions: inout [LiveKitAction]
    ) {
        var info = self.info(of: gone)
        info.disconnectReason = Livekit_DisconnectReason(reason)
        tickets[gone.id] = nil
        updates.remove(gone.id)
        announce(info, of: gone, atOnce: gone.isPublisher, room, now, &actions)
        // The end of everything somebody had: the tracks first, then the participant.
        for track in info.tracks { observe(.trackUnpublished(track, by: info), room, &actions) }
        observe(wasActive ? .participantLeft(info) : .participantAborted(info), room, &actions)
        tracks.remove(participant: gone.id, tracks: gone.tracks)
        description.remove(gone.id)
    }

    // MARK: Tracks

    private mutating func publish(
        _ track: PublishedTrack, by publisher: RoomParticipant, _ room: LiveKitRoomView, _ now: Instant,
        _ actions: inout [LiveKitAction]
    ) {
        if tickets[publisher.id] == nil { _ = describes(publisher) }
        announce(publisher, atOnce: true, room, now, &actions)
        observe(.trackPublished(tracks.info(of: track), by: info(of: publisher)), room, &actions)
    }

    private mutating func unpublish(
        _ track: PublishedTrack, by publisher: RoomParticipant, _ reason: UnpublishReason, _ room: LiveKitRoomView,
        _ now: Instant, _ actions: inout [LiveKitAction]
    ) {
        let ended = tracks.info(of: track)
        tracks.unpublish(track.id)
        announce(publisher, atOnce: true, room, now, &actions)
        _ = describes(publisher)
        observe(.trackUnpublished(ended, by: info(of: publisher)), room, &actions)
        if reason != .ended, tickets[publisher.id] != nil {
            actions.append(.send(.unpublished(track.id), to: publisher.id))
        }
    }

    // MARK: Announcing

    private mutating func announce(
        _ record: RoomParticipant, atOnce: Bool, _ room: LiveKitRoomView, _ now: Instant,
        _ actions: inout [LiveKitAction]
    ) {
        announce(info(of: record), of: record, atOnce: atOnce || record.isPublisher, room, now, &actions)
    }

    /// Tells everybody of a participant: at once, or with the next collection; the participant itself always at once.
    private mutating func announce(
        _ info: Livekit_ParticipantInfo, of record: RoomParticipant, atOnce: Bool, _ room: LiveKitRoomView,
        _ now: Instant, _ actions: inout [LiveKitAction]
    ) {
        if tickets[record.id] != nil { actions.append(.send(.participants([info]), to: record.id)) }
        guard !record.permissions.isHidden else { return }
        if updates.note(info, atOnce: atOnce, within: server.timing.participantUpdates, now: now) {
            broadcast([info], room, &actions)
        }
    }

    private func broadcast(
        _ infos: [Livekit_ParticipantInfo], _ room: LiveKitRoomView, _ actions: inout [LiveKitAction]
    ) {
        let mentioned = Set(infos.map(\.sid))
        let clients = clients(in: room.machine)
        actions.append(.broadcast(.participants(infos), to: clients.filter { !mentioned.contains($0) }))
        for client in clients where mentioned.contains(client) {
            let others = infos.filter { $0.sid != client }
            if !others.isEmpty { actions.append(.send(.participants(others), to: client)) }
        }
    }

    private func observe(
        _ observation: RoomObservation, _ room: LiveKitRoomView, _ actions: inout [LiveKitAction]
    ) {
        if server.isObserved { actions.append(.observe(info(of: room), observation)) }
    }
}

extension RoomEvent {
    /// What is said of the room itself is different, such as the number of its participants.
    fileprivate var changesRoom: Bool {
        switch self {
        case .joined, .left, .published, .unpublished: true
        default: false
        }
    }
}
