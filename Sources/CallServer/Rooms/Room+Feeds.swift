import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// Where a track's packets come from.
struct TrackFeed {
    let producer: ProducerID
    let format: TrackFormat
    let connection: MediaConnection
}

/// The media of what the room's machine knows.
extension Room {
    /// Has the packets of a connection's line forwarded as a track's from now on; what fed the track before ends.
    func feed(
        _ track: PublishedTrack, from connection: MediaConnection, line index: Int, _ format: TrackFormat, now: Instant
    ) {
        let line = connection.negotiator.lines[index]
        var configuration = ProducerConfiguration(
            codec: format.mediaCodec(track.kind), payloads: format.payloads,
            clockRate: UInt32(clamping: format.codec.clockRate))
        let groups = line.remote?.groups ?? []
        configuration.simulcastSources = groups.first { $0.semantics == "SIM" }?.ssrcs ?? []
        configuration.asksForAllLayers = loop.settings.plane.asksForAllLayers
        let producer = media.perform(now: now) { room, outbox, now in
            let producer = room.addProducer(configuration, from: connection.id)
            room.setMuted(track.isMuted, producer, now: now, into: &outbox)
            return producer
        }
        connection.ingress[line: index] = producer
        var format = format
        format.isEncrypted = track.media.isEncrypted
        let old = feeds.updateValue(
            TrackFeed(producer: producer, format: format, connection: connection), forKey: track.id)
        if let old { media.perform(now: now) { room, _, _ in room.removeProducer(old.producer) } }
    }

    /// The track whose packets a producer takes.
    func track(fedBy producer: ProducerID) -> String? { feeds.first { $0.value.producer == producer }?.key }

    /// The tracks whose lines a client no longer sends on.
    func endedTracks(on connection: MediaConnection) -> [String] {
        let lines = connection.negotiator.lines
        return connection.ingress.bound.compactMap { index, producer in
            let isSent =
                lines.indices.contains(index) && lines[index].state == .active
                && lines[index].direction.receives
            return isSent ? nil : track(fedBy: producer)
        }
    }

    /// A track of the room, as a connection is to send it; nil where its media is not here.
    ///
    /// - Parameter stream: the id of the media stream that it is announced in.
    func outgoingTrack(_ id: String, stream: String) -> OutgoingTrack? {
        guard let feed = feeds[id], let (publisher, track) = machine.roster.track(id) else { return nil }
        let outgoing = OutgoingTrack(
            trackID: id, streamID: stream, cname: publisher.id, producer: feed.producer, kind: track.kind,
            format: feed.format, media: media)
        outgoing.playoutDelay = settings.playoutDelay.map {
            PlayoutDelay(minimum: UInt16(clamping: $0.lowerBound / 10), maximum: UInt16(clamping: $0.upperBound / 10))
        }
        outgoing.injectionTrailer = Array(settings.injectionTrailer.utf8)
        return outgoing
    }

    /// What an event means for the media.
    func carryOut(_ event: RoomEvent, now: Instant) {
        switch event {
        case .muted(let track, _):
            guard let feed = feeds[track.id] else { return }
            media.perform(now: now) { room, outbox, now in
                room.setMuted(track.isMuted, feed.producer, now: now, into: &outbox)
            }
        case .unpublished(let track, _, _): endFeed(of: track.id, now: now)
        // Who has left has closed its connections.
        case .left(let gone, _, _): for track in gone.tracks { feeds[track.id] = nil }
        default: break
        }
    }

    private func endFeed(of track: String, now: Instant) {
        guard let feed = feeds.removeValue(forKey: track) else { return }
        for (index, producer) in feed.connection.ingress.bound where producer == feed.producer {
            feed.connection.ingress[line: index] = nil
        }
        media.perform(now: now) { room, _, _ in room.removeProducer(feed.producer) }
    }
}
