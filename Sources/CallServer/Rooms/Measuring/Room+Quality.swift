import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// What a room knows of the quality of its members' connections.
struct RoomQuality {
    /// By track.
    var received: [String: ReceivedTrackMeter] = [:]
    /// By subscriber and track.
    var sent: [String: [String: SentTrackMeter]] = [:]
    /// Datagrams that had come by the last time, by participant.
    var datagrams: [String: Int] = [:]
}

extension Room {
    /// Every five seconds: works out how good each member's connection is.
    func updateQuality(_ now: Instant) {
        forgetQuality()
        let active = machine.roster.participants.filter { $0.state == .active && members[$0.id] != nil }
        // Publishers first: what they lose is no fault of the subscribers.
        let heard = Dictionary(uniqueKeysWithValues: active.map { ($0.id, isHeard($0.id)) })
        for record in active { measureReceived(record, isHeard: heard[record.id] ?? true, now) }
        for record in active { measureSent(to: record.id, isHeard: heard[record.id] ?? true, now) }
        let scores = Dictionary(uniqueKeysWithValues: active.map { ($0.id, score(of: $0)) })
        perform(.rate(scores), now: now)
    }

    private func forgetQuality() {
        measures.quality.received = measures.quality.received.filter { feeds[$0.key] != nil }
        measures.quality.sent = measures.quality.sent.filter { members[$0.key] != nil }
        measures.quality.datagrams = measures.quality.datagrams.filter { members[$0.key] != nil }
    }

    /// Whether anything has come from a member since the last time, or its connections are others than then.
    private func isHeard(_ id: String) -> Bool {
        let connections = members[id]?.connections ?? []
        let count = connections.reduce(0) { $0 + $1.flow.peer.statistics.datagramsReceived }
        defer { measures.quality.datagrams[id] = count }
        return measures.quality.datagrams[id].map { $0 != count } ?? true
    }

    private func measureReceived(_ record: RoomParticipant, isHeard: Bool, _ now: Instant) {
        for track in record.tracks {
            guard let feed = feeds[track.id] else { continue }
            var meter = measures.quality.received[track.id] ?? ReceivedTrackMeter(feed.qualityContent(of: track))
            let wanted = track.kind == .video ? machine.demands.effectiveLayer(of: track.id) : 0
            if track.isMuted || wanted < 0 {
                meter.rest()
            } else {
                let layers = track.kind == .video ? max(track.media.layers.count, 1) : 1
                meter.update(
                    media.layers(of: feed.producer), peer: feed.connection.flow.peer,
                    expectedLayer: min(wanted, layers - 1), isHeard: isHeard, now: now)
            }
            measures.quality.received[track.id] = meter
        }
    }

    private func measureSent(to id: String, isHeard: Bool, _ now: Instant) {
        var meters: [String: SentTrackMeter] = [:]
        for connection in members[id]?.receivers ?? [] {
            for send in connection.sends where send.consumer != nil {
                guard let track = machine.track(send.trackID), let feed = feeds[send.trackID] else { continue }
                var meter = measures.quality.sent[id]?[track.id] ?? SentTrackMeter(feed.qualityContent(of: track))
                update(&meter, send, of: track, on: connection, isHeard: isHeard, now)
                meters[track.id] = meter
            }
        }
        measures.quality.sent[id] = meters
    }

    private func update(
        _ meter: inout SentTrackMeter, _ send: OutgoingTrack, of track: PublishedTrack,
        on connection: MediaConnection, isHeard: Bool, _ now: Instant
    ) {
        let reports = connection.feedback.takeReports(send.ssrc)
        if send.isStarved {
            meter.starve()
        } else if track.isMuted || send.wantedLayer == nil {
            meter.rest()
        } else if let counted = connection.flow.peer.sendStatistics(ssrc: send.ssrc) {
            meter.update(
                counted, reports: reports, upstream: measures.quality.received[track.id]?.missing ?? 0,
                missingLayers: send.withheldLayers(now), isHeard: isHeard, now: now)
        }
    }

    /// The worst of what a participant publishes and gets.
    func score(of record: RoomParticipant) -> Double {
        let published = record.tracks.compactMap { measures.quality.received[$0.id]?.quality.score }
        let subscribed = measures.quality.sent[record.id]?.values.map(\.quality.score) ?? []
        return (published + subscribed).min() ?? ConnectionScore.best
    }
}

extension TrackFeed {
    /// As the loss of its packets counts.
    fileprivate func qualityContent(of track: PublishedTrack) -> TrackQuality.Content {
        guard track.kind == .audio else { return .video }
        return format.redundancy != nil ? .red(fec: true) : .opus(fec: true)
    }
}
