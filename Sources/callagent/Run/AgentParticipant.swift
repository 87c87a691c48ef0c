import CallBridge
import Foundation
import MediaCore

/// One participant of a run: it is in the call, measures what the others send, and keeps account of what happens.
actor AgentParticipant {
    nonisolated let identity: String
    nonisolated let call: Call
    private let begun: MediaTime
    private let clock: MediaClock
    private let senders: [String: UInt16]
    private let keepsAudio: Bool
    private let folder: String?
    private let containers: ContainerRecordings?
    private let wishes: ReceivingOptions?
    private let follower: CallFollower?
    /// What every sound is scored against.
    private let reference: ReferenceSound?
    private var secondScores = SecondScores()
    private(set) var probes: [InboundProbe] = []
    private(set) var events: [EventReport] = []
    /// Who was the active speaker from when on.
    private(set) var speakers: [(time: MediaTime, identity: String)] = []
    private(set) var course = CallCourse()
    private(set) var ending: EndedReport?
    /// Why the call goes on without us, where it does.
    private var exclusion: CallExclusion?
    /// What was asked of the server in vain, one sentence each.
    private(set) var refusals: [String] = []
    private(set) var data = DataReport()
    private var watcher: Task<Void, Never>?
    /// Of more events the oldest are left out.
    private static let maximumEvents = 10_000
    /// Key frames asked for before the start, by the tracks' ids; nil before `markStart`.
    private var earlyKeyFrameRequests: [String: Int]?

    /// - Parameters:
    ///   - senders: the test cards' sender numbers by identity, where known.
    ///   - reference: what every sound is scored against; nil scores nothing.
    init(
        _ identity: String, call: Call, begun: MediaTime, senders: [String: UInt16] = [:], keepsAudio: Bool,
        recordTo folder: String?, containers: ContainerRecordings? = nil, wishes: ReceivingOptions? = nil,
        follower: CallFollower? = nil, clock: MediaClock = .system, reference: ReferenceSound? = nil
    ) {
        self.clock = clock
        self.reference = reference
        self.wishes = wishes
        self.identity = identity
        self.call = call
        self.begun = begun
        self.senders = senders
        self.keepsAudio = keepsAudio
        self.folder = folder
        self.containers = containers
        self.follower = follower
    }

    /// Begins to watch; from now on every remote track is measured.
    func start() async {
        let events = call.events
        watcher = Task { [weak self] in
            for await event in events { await self?.take(event) }
        }
    }

    /// Returns when the call has ended and all that was said of it has been noted.
    func untilEnded() async { await watcher?.value }

    /// Waits for the end of the call's events, after `call.leave()`, and ends the recordings. What could not be written.
    @discardableResult func finish() async -> [MediaError] {
        await watcher?.value
        return probes.flatMap { $0.close() }
    }

    /// Ends the recordings of whole participants; what they have become.
    func finishContainers() -> [RecordingReport] { containers?.close() ?? [] }

    /// Tracks that have given a first frame.
    func flowing() async -> Int {
        await call.statistics().receivers.count { $0.firstFrameMilliseconds != nil }
    }

    /// Key frames that are asked for from now on are counted apart.
    func markStart() async {
        let statistics = await call.statistics()
        let counts = probes.map { ($0.id, $0.counted(statistics.allReceivers)?.keyFrameRequestsSent ?? 0) }
        earlyKeyFrameRequests = Dictionary(counts) { $0 + $1 }
    }

    private func take(_ event: CallEvent) async {
        if case .ended = event, let why = await call.exclusion {
            exclusion = why
            follower?.exclude(why)
        }
        note(event)
    }

    private func note(_ event: CallEvent) {
        follower?.note(event)
        course.note(event, at: clock.now)
        switch event {
        case .stateChanged(let state): log("stateChanged", detail: state.rawValue)
        case .mediaConnected(let profile, _): log("mediaConnected", detail: profile)
        case .providerChanged(let change): log("providerChanged", detail: change.reason)
        case .reconnecting(let mode): log("reconnecting", detail: mode.rawValue)
        case .reconnected(let gap, let mode): log("reconnected", detail: "\(mode.rawValue), \(Int(gap)) ms")
        case .participantJoined(let participant): log("participantJoined", participant)
        case .participantUpdated(let participant): log("participantUpdated", participant)
        case .participantLeft(let participant, let reason): log("participantLeft", participant, detail: reason.rawValue)
        case .trackPublished(let track, let participant):
            log("trackPublished", participant, detail: track.kind.rawValue)
        case .trackUnpublished(let track, let participant):
            log("trackUnpublished", participant, detail: track.kind.rawValue)
        case .trackMuted(let track, let participant): log("trackMuted", participant, detail: track.kind.rawValue)
        case .trackUnmuted(let track, let participant): log("trackUnmuted", participant, detail: track.kind.rawValue)
        case .trackSubscribed(let remote, let track, let participant):
            log("trackSubscribed", participant, detail: track.kind.rawValue)
            watch(remote, track, participant)
            if let wishes { Task { await apply(wishes, to: track) } }
        case .trackUnsubscribed(let track, let participant):
            log("trackUnsubscribed", participant, detail: track.kind.rawValue)
            containers?.release(track)
        case .activeSpeakerChanged(let participant):
            log("activeSpeakerChanged", participant)
            if let participant { speakers.append((clock.now, participant.identity)) }
        case .connectionQuality(let quality, let participant):
            log("connectionQuality", participant, detail: "\(quality.level.rawValue) \(quality.score)")
        case .streamState(let state, let track, let participant):
            log("streamState", participant, detail: "\(track.kind.rawValue) \(state.rawValue)")
        case .localTrackMuted(let track):
            log("localTrackMuted", detail: "\(track.kind.rawValue) \(track.isMuted ? "muted" : "unmuted")")
        case .localTrackSubscribed(let track): log("localTrackSubscribed", detail: track.kind.rawValue)
        case .localPermissions(let may):
            log("localPermissions", detail: "publish \(may.canPublish), subscribe \(may.canSubscribe)")
        case .subscriptionPermission(let isAllowed, let track, let participant):
            log("subscriptionPermission", participant, detail: "\(track.kind.rawValue) \(isAllowed)")
        case .subscriptionFailed(let track, let participant, let why):
            log("subscriptionFailed", participant, detail: "\(track.kind.rawValue): \(why)")
        case .roomUpdated(let room): log("roomUpdated", detail: room.name)
        case .dataReceived(let message, let participant): data.note(message, from: participant)
        case .textReceived(let text, let participant): data.note(text, from: participant)
        case .streamOpened(let stream, let participant): log("streamOpened", participant, detail: stream.info.topic)
        case .chatReceived(let line, let participant): log("chatReceived", participant, detail: line.text)
        case .speakersChanged: break
        case .ended(let reason, let detail):
            let ending = EndedReport(reason: exclusion?.rawValue ?? reason.rawValue, detail: detail)
            self.ending = ending
            log("ended", detail: "\(ending.reason): \(detail)")
        }
    }

    private func apply(_ wishes: ReceivingOptions, to track: Track) async {
        do { try await wishes.apply(to: track, in: call) } catch {
            // Of a track that has gone meanwhile nothing can be asked.
            guard course.tracks[track.id]?.isPublished == true else { return }
            refusals.append("\(error)")
        }
    }

    private func watch(_ remote: RemoteTrack, _ track: Track, _ participant: Participant) {
        if let known = probes.first(where: { $0.id == track.id }) {
            known.attach(to: remote)
            containers?.record(remote, track, of: participant)
            return
        }
        // Whoever publishes without end is not measured without end.
        guard course.tracks[track.id] != nil else { return }
        let probe = InboundProbe(
            remote.kind, id: track.id, from: participant.identity, sender: senders[participant.identity],
            keepsAudio: keepsAudio, recordTo: folder, reference: reference)
        probe.attach(to: remote)
        containers?.record(remote, track, of: participant)
        probes.append(probe)
    }

    func noteDataSent() { data.sent += 1 }

    func noteRPC(_ identity: String, _ answer: String) { data.rpc.append(.init(to: identity, answer: answer)) }

    func noteRPCAnswered() { data.rpcAnswered += 1 }

    private func log(_ event: String, _ participant: Participant? = nil, detail: String? = nil) {
        let milliseconds = Double(clock.now.nanoseconds - begun.nanoseconds) / 1e6
        if events.count >= Self.maximumEvents { events.removeFirst(Self.maximumEvents / 10) }
        events.append(
            EventReport(ms: milliseconds.rounded(), event: event, participant: participant?.identity, detail: detail))
    }

    // MARK: Reports

    /// What a participant had counted at one moment.
    struct Snapshot {
        var own: ParticipantReport
        var senders: [SenderStatistics]
        var tracks: [(probe: InboundProbe, report: TrackReport)]
        var speakers: [(time: MediaTime, identity: String)]
        var course: CallCourse
        /// When that was.
        var time: MediaTime
    }

    /// Everything that has been counted, at one moment.
    func snapshot() async -> Snapshot {
        let statistics = await call.statistics()
        var own = ParticipantReport(
            identity: identity, connectMs: await call.connectMilliseconds, srtpProfile: statistics.srtpProfile,
            bytesSent: statistics.bytesSent, bytesReceived: statistics.bytesReceived,
            datagramsSent: statistics.datagramsSent, datagramsReceived: statistics.datagramsReceived,
            receiveBufferDrops: statistics.receiveBufferDrops)
        own.lateness = statistics.lateness
        own.reconnects = course.reconnects
        own.localCandidateType = statistics.localCandidateType
        own.remoteCandidateType = statistics.remoteCandidateType
        own.transportProtocol = statistics.transportProtocol
        own.relayedBytesSent = statistics.relayedBytesSent
        own.relayedBytesReceived = statistics.relayedBytesReceived
        return Snapshot(
            own: own, senders: statistics.senders,
            tracks: tracks(statistics.allReceivers, roundTrip: statistics.roundTripMilliseconds), speakers: speakers,
            course: course, time: clock.now)
    }

    /// Statistics and scores of this moment; scores are those of the time since the last call.
    func statsLine(seconds: Double, timestamp: Double) async -> StatsLine {
        let statistics = await call.statistics()
        let received = probes.compactMap { probe in
            probe.counted(statistics.receivers).map {
                SecondScores.Track(id: probe.id, from: probe.from, counted: $0)
            }
        }
        let scores = secondScores.take(
            received, roundTripMilliseconds: statistics.roundTripMilliseconds, at: clock.now)
        return StatsLine(
            participant: identity, seconds: seconds, timestamp: timestamp,
            stats: statistics.report(timestamp: timestamp).stats, scores: scores)
    }

    private func tracks(
        _ receivers: [ReceiverStatistics], roundTrip: Double?
    ) -> [(probe: InboundProbe, report: TrackReport)] {
        probes.map { probe in
            let counted = probe.counted(receivers)
            var report = TrackReport(probe, counted, to: identity)
            report.judge(counted, roundTrip: roundTrip)
            report.receivedMs = course.tracks.received(probe.id, until: clock.now).rounded()
            if let counted, let earlyKeyFrameRequests {
                report.keyFrameRequestsAfterStart =
                    counted.keyFrameRequestsSent - (earlyKeyFrameRequests[probe.id] ?? 0)
            }
            return (probe, report)
        }
    }
}

extension SessionStatistics {
    /// Receivers in the order of their coming: those that have ended, and the present ones.
    fileprivate var allReceivers: [ReceiverStatistics] { endedReceivers + receivers }
}

extension AgentParticipant.Snapshot {
    /// A call whose connection is lost and made anew has a gap in all of its media.
    func judgeConnection(_ report: inout RunReport) {
        if own.reconnects > 0 {
            report.fail(.reconnected, "\(own.identity)'s connection was lost and made anew, \(own.reconnects) times")
        }
        if course.isLost { report.fail(.reconnected, "\(own.identity)'s connection was lost and is not back") }
    }
}

extension TrackReport {
    /// Adds what W3C's statistics and the scores say.
    fileprivate mutating func judge(_ counted: ReceiverStatistics?, roundTrip: Double?) {
        guard let counted else { return }
        stats = InboundRTPStreamStats(counted)
        let score = counted.audioOpinion(roundTripMilliseconds: roundTrip)?.score ?? counted.videoOpinion?.score
        mos = score.map { ($0 * 100).rounded() / 100 }
        lipSyncMs = counted.lipSync.map { LipSyncReport(p50: $0.p50, p95: $0.p95) }
    }

    init(_ probe: InboundProbe, _ counted: ReceiverStatistics?, to: String) {
        self.init(from: probe.from, to: to, kind: probe.kind.rawValue, codec: counted?.codec ?? "")
        if let counted {
            packetsReceived = counted.packetsReceived
            packetsLost = counted.packetsLost
            packetsRecovered = counted.packetsRecovered
            framesReceived = counted.framesReceived
            framesDecoded = counted.framesDecoded
            keyFrameRequests = counted.keyFrameRequestsSent
            framesUndecryptable = counted.framesUndecryptable
            framesUndecodable = counted.framesUndecodable
            // What may have been encrypted, and nobody ever said: as good as closed.
            if counted.framesDecoded == 0 { framesUndecryptable += counted.framesHeld }
            freezes = counted.freezes
            frozenMs = counted.frozenMilliseconds.rounded()
            firstFrameMs = counted.firstFrameMilliseconds.map { ($0 * 10).rounded() / 10 }
            if counted.kind == .video { (width, height) = (counted.width, counted.height) }
        }
        if let card = probe.card?.report, card.framesRead > 0 {
            framesMissing = card.missing
            framesDamaged = card.damaged
            latencyMs = LatencyReport(
                p50: card.latency.percentile(0.5), p95: card.latency.percentile(0.95),
                p99: card.latency.percentile(0.99))
            pictures = PicturesReport(card.showing)
        }
        if let meter = probe.meter?.measurement {
            audio = AudioReport(
                rms: (meter.rms * 10_000).rounded() / 10_000,
                dominantHz: meter.dominantHz.map { ($0 * 10).rounded() / 10 },
                concealedMs: counted?.concealedMilliseconds ?? 0, playedMs: counted?.playedMilliseconds ?? 0)
            if let opinion = probe.score?.opinion { audio?.note(opinion) }
        }
    }
}
