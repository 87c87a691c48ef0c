import LiveKitProtocol
import RTCCore
import RTCWire
import RoomModel
import SFUCore

/// What a room knows of the quality of its participants' connections.
struct RoomQuality {
    /// By track.
    var received: [String: ReceivedTrackMeter] = [:]
    /// By subscriber and track.
    var sent: [String: [String: SentTrackMeter]] = [:]
    /// Datagrams that had come by the last time, by participant.
    var datagrams: [String: Int] = [:]
    /// What was last found, by participant.
    var grades: [String: ConnectionGrade] = [:]
}

extension LiveKitRoom {
    /// Every five seconds: works out how good each participant's connection is, and tells where one has changed.
    func updateQuality(_ now: Instant) {
        forgetQuality()
        let active = participants.values.filter(\.isActive)
        // Publishers first: what they lose is no fault of the subscribers.
        let heard = Dictionary(uniqueKeysWithValues: active.map { ($0.sid, isHeard($0)) })
        for participant in active { measureReceived(participant, isHeard: heard[participant.sid] ?? true, now) }
        for participant in active { measureSent(participant, isHeard: heard[participant.sid] ?? true, now) }
        let scores = Dictionary(uniqueKeysWithValues: active.map { ($0.sid, score(of: $0)) })
        let grades = scores.mapValues(ConnectionGrade.init(score:))
        let hasChanged = grades.contains { quality.grades[$0.key] != $0.value }
        quality.grades = grades
        if hasChanged { for participant in active { tellQuality(scores, to: participant) } }
    }

    private func forgetQuality() {
        quality.received = quality.received.filter { tracks[$0.key] != nil }
        quality.sent = quality.sent.filter { participants[$0.key] != nil }
        quality.datagrams = quality.datagrams.filter { participants[$0.key] != nil }
    }

    /// Whether anything has come from a participant since the last time.
    private func isHeard(_ participant: LiveKitParticipant) -> Bool {
        let count =
            participant.publisher.flow.peer.statistics.datagramsReceived
            + (participant.isSingleConnection ? 0 : participant.subscriber.flow.peer.statistics.datagramsReceived)
        defer { quality.datagrams[participant.sid] = count }
        return quality.datagrams[participant.sid].map { $0 < count } ?? true
    }

    private func measureReceived(_ participant: LiveKitParticipant, isHeard: Bool, _ now: Instant) {
        for published in model.participant(participant.sid)?.tracks ?? [] {
            guard let track = tracks[published.id], let producer = track.producer else { continue }
            var meter = quality.received[track.sid] ?? ReceivedTrackMeter(track.qualityContent)
            let wanted = track.kind == .video ? dynacast.demands[track.sid]?.effective ?? 2 : 0
            if published.isMuted || wanted < 0 {
                meter.rest()
            } else {
                let layers = track.kind == .video ? max(track.info.layers.count, 1) : 1
                meter.update(
                    media.layers(of: producer), peer: participant.publisher.flow.peer,
                    expectedLayer: min(wanted, layers - 1),
                    isHeard: isHeard, now: now)
            }
            quality.received[track.sid] = meter
        }
    }

    private func measureSent(_ participant: LiveKitParticipant, isHeard: Bool, _ now: Instant) {
        let connection = participant.subscriber
        var meters: [String: SentTrackMeter] = [:]
        for send in connection.sends where send.consumer != nil {
            guard let track = tracks[send.trackID] else { continue }
            var meter = quality.sent[participant.sid]?[track.sid] ?? SentTrackMeter(track.qualityContent)
            let reports = connection.feedback.takeReports(send.ssrc)
            if send.isStarved {
                meter.starve()
            } else if track.info.muted || send.wantedLayer == nil {
                meter.rest()
            } else if let counted = connection.flow.peer.sendStatistics(ssrc: send.ssrc) {
                meter.update(
                    counted, reports: reports, upstream: quality.received[track.sid]?.missing ?? 0,
                    missingLayers: send.withheldLayers(now), isHeard: isHeard, now: now)
            }
            meters[track.sid] = meter
        }
        quality.sent[participant.sid] = meters
    }

    /// The worst of what a participant publishes and gets.
    private func score(of participant: LiveKitParticipant) -> Double {
        let published = model.participant(participant.sid)?.tracks.compactMap { quality.received[$0.id]?.quality.score }
        let subscribed = quality.sent[participant.sid]?.values.map(\.quality.score)
        return ((published ?? []) + (subscribed ?? [])).min() ?? ConnectionScore.best
    }

    /// Tells a participant of itself and of those whose tracks it gets.
    private func tellQuality(_ scores: [String: Double], to participant: LiveKitParticipant) {
        let number = participant.ticket.client.protocol
        guard number > 4 else { return }
        let updates = scores.keys.sorted().filter {
            $0 == participant.sid || model.subscribers(of: $0).contains(participant.sid)
        }.map { sid -> Livekit_ConnectionQualityInfo in
            let score = scores[sid] ?? ConnectionScore.best
            return .with {
                $0.participantSid = sid
                $0.quality = Livekit_ConnectionQuality(ConnectionGrade(score: score), protocol: number)
                $0.score = Float(ConnectionScore.meanOpinion(score))
            }
        }
        guard !updates.isEmpty else { return }
        participant.send(.with { $0.connectionQuality.updates = updates })
    }
}

extension LiveKitTrack {
    /// As the loss of its packets counts.
    fileprivate var qualityContent: TrackQuality.Content {
        guard kind == .audio else { return .video }
        return info.mimeType.lowercased().hasSuffix("red") ? .red(fec: true) : .opus(fec: true)
    }
}

extension Livekit_ConnectionQuality {
    /// Clients up to protocol 10 know no lost connection.
    init(_ grade: ConnectionGrade, protocol number: Int32) {
        switch grade {
        case .excellent: self = .excellent
        case .good: self = .good
        case .poor: self = .poor
        case .lost: self = number > 10 ? .lost : .poor
        }
    }
}
