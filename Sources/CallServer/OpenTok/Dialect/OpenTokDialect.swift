import OpenTokSignalling
import RTCCore
import RoomModel

/// What the OpenTok-style dialect says of a room. The room's events go in, and what clients are told comes out of the session;
/// what clients say becomes records and tracks of the room.
///
/// A value without socket, clock or task. The session holds what is the dialect's own: connections, the properties of channels,
/// subscribers, force mute, archives; who is in the room, who gets what and what is muted are the room's.
struct OpenTokDialect {
    /// One medium of a stream.
    struct Channel: Hashable {
        var stream: String
        var kind: StreamKind
    }

    typealias Actions = [OpenTokSession.Action]

    var session: OpenTokSession
    /// Bytes of an identity and of a name.
    private let longestName: Int
    /// Clients of this dialect: connection by participant.
    private var connections: [String: String] = [:]
    /// Their tracks.
    private var channels: [String: Channel] = [:]
    private var tracks: [Channel: String] = [:]
    /// Tracks of other dialects that clients know as streams.
    private var foreign: Set<String> = []

    init(session: OpenTokSession, longestName: Int) {
        self.session = session
        self.longestName = longestName
    }

    // MARK: Names

    /// The connection that a participant is to clients; nil where they don't know it.
    func connection(of participant: String) -> String? {
        connections[participant] ?? (session.isConnected(participant) ? participant : nil)
    }

    func isOwn(_ participant: String) -> Bool { connections[participant] != nil }

    /// Which medium of which stream a track of the room is.
    func channel(of track: PublishedTrack) -> Channel? {
        channels[track.id] ?? (foreign.contains(track.id) ? Channel(stream: track.id, kind: track.kind) : nil)
    }

    /// The tracks of a stream that are published.
    func tracks(of stream: String, in room: RoomMachine) -> [PublishedTrack] {
        let own = [StreamKind.audio, .video].compactMap { tracks[Channel(stream: stream, kind: $0)] }
        return (isForeign(stream) ? [stream] : own).compactMap(room.track)
    }

    /// Whether a stream is a track of another dialect.
    func isForeign(_ stream: String) -> Bool { foreign.contains(stream) }

    /// The track of a stream's medium, of a client of this dialect.
    func track(_ channel: Channel) -> String? { tracks[channel] }

    // MARK: What clients say

    /// Somebody whose token holds, as the room knows its participants. The identity is the one that the connection data say,
    /// where nobody has it; nobody takes another's place.
    func record(
        of admission: OpenTokServerConnection.Admission, id: String, isRecorder: Bool, at time: Int64,
        in room: RoomMachine
    ) -> RoomParticipant {
        let data = admission.token.connectionData
        let profile = ConnectionProfile(data: data, limit: longestName)
        let names = [profile.identity, admission.connection].compactMap(\.self)
        let identity = names.first { room.roster.participant(identity: $0) == nil } ?? id
        var permissions = Permissions()
        permissions.canPublish = !isRecorder && admission.permissions.contains(.publish)
        permissions.canSubscribe = admission.permissions.contains(.subscribe)
        permissions.canPublishData = !isRecorder && admission.permissions.contains(.signal)
        permissions.isHidden = isRecorder
        permissions.isRecorder = isRecorder
        var record = RoomParticipant(
            id: id, identity: identity, name: profile.name ?? profile.identity ?? "", metadata: data,
            permissions: permissions, joinedAt: time, subscribesToAll: false)
        record.mayGetOwn = true
        return record
    }

    mutating func note(_ connection: String, of participant: String) { connections[participant] = connection }

    /// What the media of a stream's channel is to the room, under the name that it has or is given now.
    mutating func publish(
        _ channel: Channel, codec: String, layerCount: Int, newID: (TrackSource) -> String
    ) -> PublishedTrack? {
        guard let stream = session.stream(channel.stream) else { return nil }
        let source = stream.source(of: channel.kind)
        let id = tracks[channel] ?? newID(source)
        tracks[channel] = id
        channels[id] = channel
        let layers = channel.kind == .video ? session.layers(of: channel.stream, count: layerCount) : []
        return PublishedTrack(
            id: id, kind: channel.kind, source: source, name: stream.name.prefix(bytes: longestName),
            isMuted: session.isMuted(RaptorChannel.Kind(channel.kind), of: channel.stream),
            media: TrackMedia(codec: codec, layers: layers, group: channel.stream))
    }

    mutating func forget(track: String) {
        if let channel = channels.removeValue(forKey: track) { tracks[channel] = nil }
    }

    // MARK: Events

    /// What an event of the room has clients be told.
    ///
    /// - Parameter time: milliseconds since 1970.
    mutating func translate(_ event: RoomEvent, at time: Int64, into actions: inout Actions) {
        switch event {
        case .activated(let record): show(record, at: time, &actions)
        case .changed(let record, _): if record.state == .active { show(record, at: time, &actions) }
        case .concealed(let record): if !isOwn(record.id) { hide(record, .clientDisconnected, at: time, &actions) }
        case .left(let gone, let reason, _): leave(gone, reason, at: time, &actions)
        case .published(let track, let publisher): publish(track, by: publisher, at: time, &actions)
        case .unpublished(let track, let publisher, let reason):
            unpublish(track, by: publisher, reason, at: time, &actions)
        case .muted(let track, _):
            guard let channel = channel(of: track) else { return }
            session.channelsSwitched(
                RaptorChannel.Kind(channel.kind), of: channel.stream, isActive: !track.isMuted, into: &actions)
        case .muteOrdered(let track, _, true) where track.kind == .audio && !track.isMuted:
            if let channel = channel(of: track) { session.muteOrdered(channel.stream, into: &actions) }
        default: break
        }
    }

    // MARK: People of other dialects

    private mutating func show(_ record: RoomParticipant, at time: Int64, _ actions: inout Actions) {
        guard !isOwn(record.id), !record.permissions.isHidden, !session.isConnected(record.id) else { return }
        let connection = RaptorConnection(record)
        guard session.foreignJoined(connection, at: time, into: &actions) else { return }
        for track in record.tracks { publish(track, by: record, at: time, &actions) }
    }

    private mutating func hide(
        _ record: RoomParticipant, _ reason: RaptorReason, at time: Int64, _ actions: inout Actions
    ) { session.leave(record.id, reason, at: time, into: &actions) }

    private mutating func leave(
        _ gone: RoomParticipant, _ reason: DepartureReason, at time: Int64, _ actions: inout Actions
    ) {
        for track in gone.tracks {
            forget(track: track.id)
            foreign.remove(track.id)
        }
        // One of our own has been seen off with its connection.
        guard connections.removeValue(forKey: gone.id) == nil else { return }
        hide(gone, RaptorReason(reason), at: time, &actions)
    }

    private mutating func publish(
        _ track: PublishedTrack, by publisher: RoomParticipant, at time: Int64, _ actions: inout Actions
    ) {
        guard !isOwn(publisher.id), !publisher.permissions.isHidden else { return }
        // Who publishes is there, though its own media may not be connected yet.
        guard session.isConnected(publisher.id) else { return show(publisher, at: time, &actions) }
        if session.foreignPublished(RaptorStream(track), by: publisher.id, at: time, into: &actions) {
            foreign.insert(track.id)
        }
    }

    private mutating func unpublish(
        _ track: PublishedTrack, by publisher: RoomParticipant, _ reason: UnpublishReason, at time: Int64,
        _ actions: inout Actions
    ) {
        guard let stream = channel(of: track)?.stream else { return }
        forget(track: track.id)
        let isForeign = foreign.remove(track.id) != nil
        // A client of this dialect may have a stream without media; not one that others have ended.
        guard isForeign || reason != .ended else { return }
        session.endStream(stream, RaptorReason(reason), at: time, into: &actions)
    }
}
