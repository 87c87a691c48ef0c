import CallBridge
import LoadCore
import MediaCore

/// One participant's session with the server, from a join to its end: what it publishes, and its subscriptions.
// Used by its participant's actor only.
final class LoadLink {
    /// A track of ours.
    struct Publication {
        var truth: SentTruth
        var track: Track
    }

    let session: any ProviderSession
    /// Of its join.
    private(set) var times: JoinTimes
    var begun: MediaTime { times.begun }
    var isConnected: Bool { times.connected != nil }
    var hasEnded = false
    /// Which of its participant's sessions it is.
    let generation: Int
    private(set) var audio: Publication?
    private(set) var video: Publication?
    private let plan: PlannedParticipant
    private let world: LoadWorld
    private var view: LayoutView
    /// Identities by the provider's ids.
    private var owners: [String: String] = [:]
    /// By the provider's ids of tracks.
    private var probes: [String: SubscriptionProbe] = [:]
    private var isPaused = false
    private var messageTruth: SentTruth?
    /// By the publisher's number.
    private var messages: [UInt32: DeliveryLedger] = [:]
    /// Of subscriptions that have ended.
    private var closed = LoadTotals()

    init(_ session: any ProviderSession, plan: PlannedParticipant, world: LoadWorld, times: JoinTimes, generation: Int)
    {
        self.session = session
        self.generation = generation
        self.plan = plan
        self.world = world
        self.times = times
        view = LayoutView(world.settings.layout)
    }

    // MARK: Publishing

    nonisolated(nonsending) func publish() async throws {
        let start = Double(plan.number * 7 % 16) / 16
        if plan.publishesAudio {
            let truth = world.publish(.audio, by: plan)
            let track = try sound(truth, start)
            audio = Publication(truth: truth, track: try await session.publish(track, source: .microphone))
        }
        if plan.publishesVideo {
            let truth = world.publish(.video, by: plan)
            let track = try pictures(truth, start)
            video = Publication(truth: truth, track: try await session.publish(track, source: .camera))
        }
        if plan.publishes { times.published = world.clock.now }
    }

    /// Media is connected.
    func noteConnected(at time: MediaTime) { times.connected = time }

    /// Its session is over: leaves a trace of how it began.
    func trace(_ setup: ConnectionSetup) {
        times.setup = setup
        world.traces?.write(JoinTrace(participant: plan, times: times))
    }

    private func sound(_ truth: SentTruth, _ start: Double) throws -> LocalTrack {
        guard !world.media.format.encodes else {
            let speech = try SpeechSource(Sentences.numbered(plan.number), voice: .numbered(plan.number))
            return LocalTrack(.audio(speech, .init()), name: "speech", marker: StampMarker(truth))
        }
        let voices = world.media.speech
        let voice = voices[plan.number % voices.count]
        return LocalTrack(.encodedAudio(StampedAudioSource(voice, truth, start: start)), name: "speech")
    }

    private func pictures(_ truth: SentTruth, _ start: Double) throws -> LocalTrack {
        let format = world.media.format
        guard !format.encodes else {
            let card = try TestCardSource(
                sender: UInt16(truncatingIfNeeded: plan.number + 1), width: format.width, height: format.height,
                frameRate: format.frameRate)
            let marker = StampMarker(truth, of: card, streams: format.streams, codec: format.codec)
            return LocalTrack(.video(card, format.encoding), name: "test card", marker: marker)
        }
        return LocalTrack(.encodedVideo(StampedVideoSource(world.media, truth, start: start)), name: "test card")
    }

    /// Nothing more leaves from now on.
    func pause() {
        isPaused = true
        audio?.truth.isPaused = true
        video?.truth.isPaused = true
    }

    /// A server sends nothing on of a track that it takes for muted, and what is on its way overtakes what is said of it, or
    /// the other way round: the source stops some time before the server is told, and goes on some time after.
    nonisolated(nonsending) func mute(_ mutes: Bool) async {
        guard let audio else { return }
        if mutes {
            audio.truth.isPaused = true
            try? await world.clock.wait(seconds: LoadLink.settling)
        }
        try? await session.setMuted(mutes, trackID: audio.track.id)
        guard !mutes else { return }
        try? await world.clock.wait(seconds: LoadLink.settling)
        if !isPaused { audio.truth.isPaused = false }
    }

    /// Seconds.
    private static let settling = 0.2

    /// Sends a message that carries its number.
    nonisolated(nonsending) func sendMessage() async {
        let truth = messageTruth ?? world.numbers()
        messageTruth = truth
        var bytes = Array("callagent load ".utf8)
        truth.next(
            layer: 0, clip: 0, bytes: bytes.count, isKeyFrame: false, interval: 0, at: world.clock.now.nanoseconds
        )
        .append(to: &bytes)
        try? await session.send(DataMessage(bytes: bytes, topic: LoadLink.topic), to: [])
    }

    private static let topic = "load"

    /// Calls the method that everybody here answers, and waits for the answer.
    nonisolated(nonsending) func call(_ identity: String) async throws {
        let answer = try await session.performRPC(
            to: identity, method: LoadLink.method, payload: plan.identity, timeout: LoadLink.patience)
        guard answer == plan.identity else { throw RPCError.applicationError }
    }

    private static let method = "callagent.load"
    /// Seconds.
    private static let patience = 10.0

    /// Answers with what it is given.
    private nonisolated(nonsending) func answer(_ call: RPCInvocation) async {
        let isOurs = call.method == LoadLink.method
        try? await session.answerRPC(call, isOurs ? .success(call.payload) : .failure(.unsupportedMethod))
    }

    // MARK: Receiving

    nonisolated(nonsending) func take(_ event: ProviderEvent) async {
        switch event {
        case .participantJoined(let participant): await meet(participant)
        case .trackPublished(let track, let owner): await see(track, of: owner)
        case .trackUnpublished(let track, _): await apply(view.remove(track: track))
        case .trackSubscribed(let remote, let track, let owner): subscribe(remote, track, of: owner)
        case .trackUnsubscribed(let track, _): if let probe = probes.removeValue(forKey: track) { close(probe) }
        case .speakersChanged(let speakers):
            if let loudest = speakers.max(by: { $0.level < $1.level }) {
                await apply(view.feature(loudest.participantID))
            }
        case .dataReceived(let message, _): count(message)
        case .rpcInvoked(let call): await answer(call)
        default: break
        }
    }

    private func count(_ message: DataMessage) {
        guard message.topic == LoadLink.topic, let stamp = message.bytes.withUnsafeBytes({ MediaStamp(endOf: $0) })
        else {
            return
        }
        var ledger = messages[stamp.publisher] ?? DeliveryLedger(run: stamp.run, publisher: stamp.publisher)
        let before = ledger.counts
        ledger.note(stamp, packets: 1, bytes: message.bytes.count)
        messages[stamp.publisher] = ledger
        closed.messages.add(ledger.counts.since(before))
    }

    private nonisolated(nonsending) func meet(_ participant: Participant) async {
        owners[participant.id] = participant.identity
        for track in participant.tracks { await see(track, of: participant.id) }
    }

    private nonisolated(nonsending) func see(_ track: Track, of owner: String) async {
        guard plan.subscribes else { return }
        if track.kind == .video { return await apply(view.add(track: track.id, owner: owner)) }
        if world.settings.exceedsLayout { try? await session.setSubscribed(true, trackID: track.id) }
    }

    private nonisolated(nonsending) func apply(_ changes: [LayoutView.Change]) async {
        for change in changes {
            switch change {
            case .show(let track, let size):
                if world.settings.exceedsLayout { try? await session.setSubscribed(true, trackID: track) }
                guard world.media.format.isSimulcast else { continue }
                let settings = TrackSettings(size: VideoViewSize(width: size.width, height: size.height))
                try? await session.setTrackSettings(settings, trackID: track)
            case .hide(let track): try? await session.setSubscribed(false, trackID: track)
            }
        }
    }

    private func subscribe(_ remote: RemoteTrack, _ track: String, of owner: String) {
        if let before = probes[track] { close(before) }
        let truth = owners[owner].flatMap { world.truth(of: $0, in: plan.room, remote.kind) }
        let probe = SubscriptionProbe(
            remote.kind, of: truth, run: world.run, meters: world.meters)
        probes[track] = probe
        remote.count(by: probe)
        if plan.decodes, remote.kind == .video { remote.attach(probe) }
    }

    // MARK: Counting

    /// A subscription ends while its publisher goes on.
    private func close(_ probe: SubscriptionProbe) {
        closed.add(probe.takeChange(probe.settled(grace: probe.grace)), probe.kind)
    }

    /// What came since the last call.
    func sample() -> LoadTotals {
        noteFirst()
        var totals = closed
        closed = LoadTotals()
        totals.first = firsts
        for probe in probes.values {
            totals.add(probe.takeChange(), probe.kind)
            if probe.kind == .video { totals.note(layer: probe.layer, of: world.media.pictures.count) }
        }
        return totals
    }

    /// The same at the end.
    func settle(grace: Bool) -> LoadTotals {
        noteFirst()
        for probe in probes.values {
            closed.add(probe.takeChange(probe.settled(grace: grace ? probe.grace : 0)), probe.kind)
        }
        probes = [:]
        defer { closed = LoadTotals() }
        var totals = closed
        totals.first = firsts
        return totals
    }

    /// Milliseconds from the join to the first frames.
    private var firsts: [MediaKind: Double] = [:]

    private func noteFirst() {
        for probe in probes.values where firsts[probe.kind] == nil {
            guard let first = probe.first else { continue }
            let milliseconds = Double(first.nanoseconds - begun.nanoseconds) / 1e6
            firsts[probe.kind] = milliseconds
            times.firsts[probe.kind] = first
            let meter = probe.kind == .audio ? world.meters.firstAudio : world.meters.firstVideo
            meter.record(milliseconds: milliseconds)
        }
    }

    /// Whether all that was sent has come.
    var isComplete: Bool { probes.values.allSatisfy { $0.settled().missing == 0 } }
}
