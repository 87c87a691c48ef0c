import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// How much a snapshot says at most: what is beyond is counted.
struct SnapshotBounds: Sendable {
    var rooms = 50
    var participants = 100
    var tracks = 16
    var layers = 4
    var subscriptions = 12
}

extension Room {
    /// What there is to see of the room now.
    func snapshot(_ bounds: SnapshotBounds, now: Instant) -> RoomSnapshot {
        let records = machine.roster.participants
        return RoomSnapshot(
            name: name, participants: records.prefix(bounds.participants).map { snapshot(of: $0, bounds, now) },
            unlisted: max(0, records.count - bounds.participants))
    }

    private func snapshot(
        of record: RoomParticipant, _ bounds: SnapshotBounds, _ now: Instant
    ) -> ParticipantSnapshot {
        let member = members[record.id]
        let peers = member?.connections ?? []
        let sends = member?.receivers.flatMap { connection in connection.sends.map { (connection, $0) } } ?? []
        return ParticipantSnapshot(
            id: record.id, identity: record.identity, name: record.name, dialect: member?.dialectName ?? "",
            state: "\(record.state)", isHidden: record.permissions.isHidden, joinedAt: record.joinedAt,
            level: machine.level(of: record.id), quality: score(of: record).rounded(),
            roundTrip: peers.lazy.compactMap { $0.flow.peer.roundTripTime?.milliseconds }.first,
            bytesReceived: peers.reduce(0) { $0 + $1.flow.peer.statistics.bytesReceived },
            bytesSent: peers.reduce(0) { $0 + $1.flow.peer.statistics.bytesSent },
            tracks: record.tracks.prefix(bounds.tracks).map { snapshot(of: $0, bounds, now) },
            subscriptions: sends.prefix(bounds.subscriptions).map { snapshot(of: $0.1, on: $0.0, now) },
            unlistedSubscriptions: max(0, sends.count - bounds.subscriptions))
    }

    private func snapshot(of track: PublishedTrack, _ bounds: SnapshotBounds, _ now: Instant) -> TrackSnapshot {
        var layers: [LayerSnapshot] = []
        if let feed = feeds[track.id] {
            let live = Set(media.liveLayers(of: feed.producer, now: now).map(\.ssrc))
            layers = media.layers(of: feed.producer).prefix(bounds.layers).map { layer in
                let counted = feed.connection.flow.peer.receiveStatistics(ssrc: layer.ssrc) ?? StreamStatistics()
                return LayerSnapshot(
                    rid: layer.rid.map { "\($0)" } ?? "", width: layer.pictureWidth, packets: layer.packets,
                    bytes: layer.bytes, lost: max(0, counted.lost), recovered: counted.recovered,
                    jitter: (counted.jitter * 10_000).rounded() / 10, isLive: live.contains(layer.ssrc))
            }
        }
        return TrackSnapshot(
            id: track.id, kind: "\(track.kind)", source: "\(track.source)", name: track.name, codec: track.media.codec,
            isMuted: track.isMuted, isEncrypted: track.media.isEncrypted,
            quality: measures.quality.received[track.id]?.quality.score.rounded(), layers: layers)
    }

    private func snapshot(
        of send: OutgoingTrack, on connection: MediaConnection, _ now: Instant
    ) -> SubscriptionSnapshot {
        let counted = connection.flow.peer.sendStatistics(ssrc: send.ssrc) ?? StreamStatistics()
        return SubscriptionSnapshot(
            track: send.trackID, publisher: machine.roster.track(send.trackID)?.publisher.identity ?? "",
            kind: "\(send.kind)", packets: counted.packets, bytes: counted.bytes, loss: counted.fractionLost,
            layer: send.consumer.flatMap { media.currentLayer(of: $0) },
            isPaused: send.wantedLayer == nil || send.isStarved)
    }
}

extension RoomMember {
    /// Whatever it has come by.
    fileprivate var dialectName: String {
        switch self {
        case is LiveKitParticipant: "livekit"
        case is OpenTokMember: "opentok"
        case let member as WHIPMember: member.ticket.role.rawValue
        default: ""
        }
    }
}
