import CallBridge
import Foundation
import Logging
import MediaCore

/// A call of several participants in this process: everybody speaks in turn, sends a test card, and measures all others.
actor CallRun {
    struct Settings: Sendable {
        var participants = 4
        var duration = 15.0
        var room = "call"
        var muted: Set<String> = []
        var picture = PictureFormat(argument: "640x360@30")!
        var codec = VideoCodec.vp8
        var connectivity: ConnectivityOptions
        var srtp: SRTPOption
        var encryption: EncryptionOption
        var network = CallNetwork.Settings()
        /// Spoken to the second participant from the moment of accepting.
        var greeting: String?
        /// The venue itself has a bad network.
        var isImpaired = false
        /// The first one rings for the others, and nobody joins before somebody has answered.
        var rings = false
        /// Sound is scored against what was said.
        var scores = false
    }

    /// One participant with what it sends.
    private struct Member {
        let index: Int
        let participant: AgentParticipant
        let speech: GatedSource
        let card: TestCardSource
        let tracks: [Track]
        /// Number of the last picture drawn half a second before the end.
        var lastNumber: UInt32 = 0
        var isMuted = false
    }

    static let names = [
        "alice", "bob", "carol", "dave", "erin", "frank", "grace", "heidi", "ivan", "judy", "mallory", "niaj", "olivia",
        "peggy", "rupert", "sybil", "trent", "victor", "walter", "wendy",
    ]

    /// What participant `index` is called.
    static func name(_ index: Int) -> String { index < names.count ? names[index] : "p\(index + 1)" }

    private let settings: Settings
    private let venue: any CallVenue
    private let progress: Progress
    private let logger = Logger(label: "callagent.call")
    private let engine = MediaEngine()
    private var script: TurnScript
    /// Its turns that came to their end.
    private var completed = TurnScript(speakers: 0, duration: 0)
    /// Seconds of speech that took place.
    private var spoken = 0.0
    private var members: [Member] = []
    private var network: CallNetwork?
    private var hearing: Hearing?
    private var indicator: IndicatorWatch?
    private let begun: MediaTime
    private let started = MediaTime.now
    private let lateBefore = WakeMeter.process.lateness
    private let journal: CallJournal
    private let scribe: CallScribe
    private let rings: CallRing?
    private let stats: StatsLog?

    init(
        _ settings: Settings, at venue: any CallVenue, progress: Progress, journal: CallJournal, stats: StatsLog? = nil
    ) {
        self.stats = stats
        self.journal = journal
        self.venue = venue
        begun = venue.clock.now
        let record = CallRecord(
            id: settings.room, conversationId: settings.room, serviceProviderCallId: settings.room,
            serviceProviderType: venue.provider.rawValue, initiatorPersonId: Self.name(0), callType: .video)
        scribe = CallScribe(record, journal: journal, clock: Self.journalClock(venue.clock))
        rings =
            settings.rings
            ? CallRing(room: settings.room, people: (0..<settings.participants).map(Self.name), journal: journal) : nil
        self.settings = settings
        self.progress = progress
        script = TurnScript(speakers: settings.participants, duration: settings.duration)
    }

    /// Runs the call to its end and reports. Throws what keeps it from taking place.
    func run() async throws -> RunReport {
        defer { progress.end() }
        do {
            if settings.network.isNeeded { network = try await CallNetwork.start(settings.network) }
            if let rings {
                try await rings.run { [self] in try await join($0) }
                members.sort { $0.index < $1.index }
            } else {
                for index in 0..<settings.participants where Interruption.cause == nil { try await join(index) }
            }
            await waitForMedia()
            let start = Interruption.cause == nil ? try await speak() : nil
            // Counted at one moment and before anything else costs time; judged when nobody needs the processor any more.
            var snapshots: [AgentParticipant.Snapshot] = []
            for member in members { snapshots.append(await member.participant.snapshot()) }
            let used = Resources.now
            let networkReport = await network?.report()
            let shown = await indicator?.finish().report
            let greeting = try hearing?.end(DeviceWatch())
            await leave()
            var report = conclude(snapshots, start: start, used: used)
            report.network = networkReport
            report.indicator = shown ?? IndicatorReport()
            report.greeting = greeting
            report.ring = await rings?.report()
            report.note(journal.finish())
            do { try stats?.close() } catch { report.fail(.output, "\(error)") }
            return report
        } catch {
            await leave()
            throw error
        }
    }

    /// The time of day at the beginning, counted on by the venue's clock.
    private static func journalClock(_ clock: MediaClock) -> @Sendable () -> CallTime {
        let (origin, begun) = (CallTime.now, clock.now)
        return { origin.advanced(by: (clock.now.nanoseconds - begun.nanoseconds) / 1_000_000) }
    }

    private func leave() async {
        for member in members {
            await member.participant.call.leave()
            await member.participant.finish()
        }
        if rings == nil {
            scribe.write { $0.end(.lastMandatoryParticipantLeft, at: $1, into: &$2) }
        }
        await rings?.close()
        await network?.stop()
        await venue.close()
        await engine.shutdown()
    }

    // MARK: Joining

    private func join(_ index: Int) async throws {
        let name = Self.name(index)
        progress.show("\(name) joins")
        var configuration = venue.configuration(for: name, room: settings.room)
        configuration.engine = engine
        configuration.media.dtlsBackend = settings.srtp.dtls
        configuration.media.srtpBackend = settings.srtp.srtp
        configuration.media.srtpProfiles = settings.srtp.profiles
        configuration.media.frameEncryption = try settings.encryption.frameEncryption()
        configuration.media.acceptsAllCodecs = settings.codec != .vp8
        try settings.connectivity.apply(to: &configuration.media)
        network?.route(&configuration.media, of: name)
        let bridge = CallBridge(configuration: configuration)
        if index == 1, let greeting = settings.greeting {
            hearing = try await Hearing.begin(
                on: bridge, speaker: nil, greeting: VoiceGreeting(text: greeting))
        }
        let joined = try await Interruption.unless { [room = settings.room] in
            try await bridge.join(conversation: room, as: name)
        }
        guard let call = joined else { return }
        if index == 1 { hearing?.play(call) }
        if index == 0 {
            let watch = try IndicatorWatch(call, begun: begun, picture: nil, line: nil, clock: venue.clock)
            await watch.start()
            indicator = watch
        }
        let senders = Dictionary(
            uniqueKeysWithValues: (0..<settings.participants).map { (Self.name($0), UInt16($0 + 1)) })
        let follower =
            rings?.follower(of: name) ?? CallFollower(scribe, identity: name, followsOthers: false)
        follower.begin()
        let participant = AgentParticipant(
            name, call: call, begun: begun, senders: senders, keepsAudio: true, recordTo: nil, follower: follower,
            clock: venue.clock)
        await participant.start()
        let speech = GatedSource(try Self.schedule(script, speaker: index))
        let picture = settings.picture
        let card = try TestCardSource(
            sender: UInt16(index + 1), width: picture.width, height: picture.height, frameRate: picture.frameRate)
        let tracks = try await call.publish(
            .audio(name: "speech") { speech },
            .video(
                name: "test card",
                bitrate: LocalMedia.VideoFormat(
                    width: picture.width, height: picture.height, frameRate: picture.frameRate
                ).bitrate,
                codec: settings.codec
            ) { card })
        let isMuted = settings.muted.contains(name)
        if isMuted { for track in tracks { try await call.setMuted(true, track) } }
        follower.publish(await call.publishedMedia)
        members.append(
            Member(
                index: index, participant: participant, speech: speech, card: card, tracks: tracks, isMuted: isMuted))
    }

    /// The speech of one participant: sentences of its own, in a voice of its own, while it has the turn.
    private static func schedule(_ script: TurnScript, speaker: Int) throws -> ScheduledAudioSource {
        let source = try SpeechSource(Sentences.numbered(speaker), voice: .numbered(speaker), pause: 0.1)
        return try ScheduledAudioSource(
            turns: script.turns.filter { $0.speaker == speaker }.map { .init(from: $0.start, to: $0.end, source) })
    }

    // MARK: The call

    private var expectedFlows: Int {
        members.filter { !$0.isMuted }.count * (settings.participants - 1) * 2
    }

    /// Waits until every track that should arrive has given a first frame, ten seconds at the most.
    private func waitForMedia() async {
        for _ in 0..<200 {
            var flowing = 0
            for member in members { flowing += await member.participant.flowing() }
            progress.show("connecting: \(flowing) of \(expectedFlows) tracks flow")
            if flowing >= expectedFlows || Interruption.cause != nil { return }
            await venue.pass(seconds: 0.05)
        }
    }

    /// Opens the gates, lets everybody speak, and returns when speech began.
    private func speak() async throws -> MediaTime {
        for member in members { await member.participant.markStart() }
        try await network?.attack()
        let start = venue.clock.now
        logger.info("everybody is there, the call begins")
        for member in members { member.speech.open() }
        let margin = 0.5
        await show(from: start, until: settings.duration - margin)
        for index in members.indices { members[index].lastNumber = members[index].card.framesDrawn &- 1 }
        // An interrupted call ends as soon as what was sent can have arrived.
        if Interruption.cause == nil {
            await show(from: start, until: settings.duration)
        } else {
            await venue.pass(seconds: margin)
        }
        spoken = min(settings.duration, venue.clock.now.seconds - start.seconds)
        (completed, script) = (script.completed(by: spoken), script.until(spoken))
        if let network {
            await network.rest()
            // What is late or lost shall have its chance to arrive before the counting.
            await venue.pass(seconds: 0.4 + Double(network.settlingMilliseconds) / 1000)
        }
        return start
    }

    private func show(from start: MediaTime, until end: Double) async {
        while true {
            let elapsed = venue.clock.now.seconds - start.seconds
            guard elapsed < end, Interruption.cause == nil else { return }
            let speaker = script.speaker(at: elapsed).map(Self.name) ?? "nobody"
            progress.show(String(format: "%5.1f of %.0f s  %@ speaks", elapsed, settings.duration, speaker))
            await stats?.sample(members.map(\.participant))
            await venue.pass(seconds: min(0.25, end - elapsed))
        }
    }

    // MARK: The report

    /// How late this machine ran the call's timers; simulated ones are always in time.
    private var lateness: WakeLateness {
        venue.provider == .fake ? WakeLateness() : WakeMeter.process.lateness.since(lateBefore)
    }

    /// - Parameter start: when they began to speak; nil where it did not come to that.
    private func conclude(_ snapshots: [AgentParticipant.Snapshot], start: MediaTime?, used: Resources) -> RunReport {
        progress.show("comparing what was sent with what was heard and seen")
        var report = RunReport()
        report.provider = venue.provider.rawValue
        report.durationSeconds = (spoken * 10).rounded() / 10
        noteInterruption(&report)
        report.elapsedSeconds = ((MediaTime.now.seconds - started.seconds) * 10).rounded() / 10
        let judge = start.map {
            CallJudge(
                sources: members.map(\.speech.samples), script: completed, start: $0,
                isImpaired: settings.network.isImpaired || settings.isImpaired,
                lateMilliseconds: lateness.lateMilliseconds, scores: settings.scores)
        }
        for (index, snapshot) in snapshots.enumerated() {
            var own = snapshot.own
            own.activeSpeaker = start.map { activeSpeaker(snapshot.speakers, of: index, start: $0) }
            report.participants.append(own)
        }
        if let judge { for listener in snapshots.indices { judgeTracks(heardBy: listener, snapshots, judge, &report) } }
        report.connectMs = report.participants.compactMap(\.connectMs).max()
        report.srtpProfile = report.participants.compactMap(\.srtpProfile).first
        let speakers = report.participants.compactMap(\.activeSpeaker)
        report.activeSpeaker = ActiveSpeakerReport(
            accuracy: speakers.compactMap(\.accuracy).min(), switches: speakers.map(\.switches).max() ?? 0)
        if let accuracy = report.activeSpeaker.accuracy, accuracy < 0.95 {
            report.fail(
                .activeSpeaker,
                String(format: "the active speaker was right for only %.1f %% of the time", accuracy * 100))
        }
        report.cpuSeconds = used.cpuSeconds
        report.peakRssMiB = used.peakRSSMiB
        report.lateness = lateness
        judgeConnections(snapshots, &report)
        return report
    }

    /// A call that is shorter than was asked for is not what was asked for.
    private func noteInterruption(_ report: inout RunReport) {
        guard let cause = Interruption.cause?.rawValue else { return }
        report.interrupted = cause
        guard spoken < settings.duration else { return }
        report.fail(
            .interrupted,
            String(format: "interrupted by %@ after %.1f of %.0f s", cause, spoken, settings.duration))
    }

    /// Nothing but an attacker troubles the path.
    private var isPathWell: Bool {
        settings.network.hostileRate > 0 || (!settings.network.isImpaired && !settings.isImpaired)
    }

    /// On a path that is well no connection may be lost.
    private func judgeConnections(_ snapshots: [AgentParticipant.Snapshot], _ report: inout RunReport) {
        report.reconnects = snapshots.map(\.course.reconnects).reduce(0, +)
        for snapshot in snapshots {
            if isPathWell { snapshot.judgeConnection(&report) }
            for refusal in snapshot.course.publishing.refusals {
                report.fail(.forbidden, "\(snapshot.own.identity): \(refusal)")
            }
        }
    }

    private func judgeTracks(
        heardBy listener: Int, _ snapshots: [AgentParticipant.Snapshot], _ judge: CallJudge, _ report: inout RunReport
    ) {
        let received = snapshots[listener].tracks
        let listenerName = Self.name(listener)
        for (index, sender) in members.enumerated() where index != listener {
            for kind in MediaKind.allCases {
                let name = Self.name(index)
                var track = TrackReport(from: name, to: listenerName, kind: kind.rawValue, codec: "")
                // One for each time that the sender came.
                let visits = received.filter { $0.probe.from == name && $0.probe.kind == kind }
                let found = visits.last
                if let found { track = found.report }
                for visit in visits.dropLast() { track.add(earlier: visit.report) }
                if let counted = snapshots[index].senders.first(where: { $0.kind == kind }) {
                    track.packetsSent = counted.packetsSent
                    track.framesSent = counted.framesSent
                }
                judge.judge(&track, probe: found?.probe, sender: index, lastNumber: sender.lastNumber)
                report.add(track, named: "\(kind.rawValue) of \(name) to \(listenerName)")
            }
        }
    }

    private func activeSpeaker(
        _ record: [(time: MediaTime, identity: String)], of listener: Int, start: MediaTime
    ) -> ActiveSpeakerReport {
        let indices = Dictionary(uniqueKeysWithValues: members.indices.map { (Self.name($0), $0) })
        let silent = Set(members.indices.filter { members[$0].isMuted } + [listener])
        let timeline = record.map { (time: $0.time.seconds - start.seconds, speaker: indices[$0.identity]) }
        return ActiveSpeakerReport(accuracy: script.accuracy(of: timeline, silent: silent), switches: record.count)
    }
}
