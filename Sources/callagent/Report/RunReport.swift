import CallBridge
import CallModel
import MediaCore

/// What `call` and `join` print with `--json`: one object.
struct RunReport: Codable {
    /// True where all that was sent was seen.
    var ok = true
    /// What was lost, one sentence each.
    var failures: [String] = []
    /// The kinds of it, each once.
    var reasons: [FailureReason] = []
    /// How often a connection was lost and made anew; of all participants of this run together.
    var reconnects = 0
    /// What ended the run before its time: the signal's name.
    var interrupted: String?
    /// `join` only: how the call ended for us, where we did not leave it.
    var ended: EndedReport?
    /// The provider that carried the call.
    var provider = ""
    /// `join` only: who we were.
    var identity: String?
    /// `join` only: who else was there at any time, in the order of their coming; at most 1,000.
    var met: [String]?
    var participants: [ParticipantReport] = []
    /// One entry per directed pair and kind.
    var tracks: [TrackReport] = []
    var activeSpeaker = ActiveSpeakerReport()
    /// Milliseconds to connected media: the slowest participant's.
    var connectMs: Double?
    var durationSeconds = 0.0
    /// `call` only: what the whole took by the machine's clock, which virtual time runs ahead of.
    var elapsedSeconds: Double?
    var cpuSeconds = 0.0
    var peakRssMiB = 0.0
    /// How late this process's media timers ran: what the machine took from the call.
    var lateness = WakeLateness()
    var srtpProfile: String?
    /// The call's journal.
    var journal = JournalReport(events: 0, violations: [])
    /// `call` with --ring: how the call came about.
    var ring: RingReport?
    /// `call` with --network or --hostile: what the relays did.
    var network: NetworkReport?
    /// With --greeting: what the one who accepted the call heard first.
    var greeting: GreetingSummary?
    /// What the active-call indicator showed; in `call` the first participant's.
    var indicator = IndicatorReport()
    /// `join` only: what we published, and what we may not.
    var media: PublishedReport?
    /// `join` with --record FILE.webm: what was recorded.
    var recordings: [RecordingReport]?
    /// `join` only: what went beside the media.
    var data: DataReport?
    /// `join` only: what happened, in order.
    var events: [EventReport]?
}

extension RunReport {
    /// Something is not as it should be.
    mutating func fail(_ reason: FailureReason, _ text: String) {
        failures.append(text)
        if !reasons.contains(reason) { reasons.append(reason) }
        ok = false
    }

    /// Takes over what a track lacks.
    mutating func add(_ track: TrackReport, named name: String) {
        tracks.append(track)
        for (reason, text) in zip(track.reasons, track.failures) { fail(reason, "\(name): \(text)") }
    }

    /// Adds what the call's journal came to; a broken rule is a failure, and a file that is not whole.
    mutating func note(_ summary: CallJournal.Summary) {
        journal = JournalReport(summary)
        for violation in summary.violations { fail(.journalRules, "journal: \(violation)") }
        if let failure = summary.failure { fail(.journal, failure) }
    }

    /// What the process ends with.
    var status: ExitStatus {
        if ok { return .success }
        return !reasons.isEmpty && reasons.allSatisfy(\.isOutput) ? .environment : .lost
    }
}

/// How a call ended for us.
struct EndedReport: Codable {
    /// `REMOVED`, `DUPLICATE_IDENTITY`, or the call's end reason.
    var reason: String
    var detail: String

    /// What was said of a call that was lost.
    var sentence: String { "the call ended early: \(reason), \(detail.printable(limit: 300))" }
}

/// How a call that was rung came about.
struct RingReport: Codable {
    /// What became of it for each participant.
    var outcomes: [String: String] = [:]
    /// From placing to the first answer.
    var ringMs: Int64?
    /// From the first answer to two connected participants.
    var connectMs: Int64?
}

/// One participant of a run.
struct ParticipantReport: Codable {
    var identity: String
    var connectMs: Double?
    var srtpProfile: String?
    /// How often a connection was lost and made anew. All counts go on across that.
    var reconnects = 0
    /// UDP payload bytes and datagrams, both directions.
    var bytesSent = 0
    var bytesReceived = 0
    var datagramsSent = 0
    var datagramsReceived = 0
    /// Datagrams that our own socket buffer lost: not the network's fault.
    var receiveBufferDrops = 0
    /// How late its media timers ran.
    var lateness = WakeLateness()
    /// Between which kinds of candidates media went: host, srflx, prflx, relay.
    var localCandidateType: String?
    var remoteCandidateType: String?
    /// What carried it between them: udp, tcp.
    var transportProtocol: String?
    /// Payload bytes through TURN servers.
    var relayedBytesSent = 0
    var relayedBytesReceived = 0
    var activeSpeaker: ActiveSpeakerReport?
}

/// One track on its way from one participant to another.
struct TrackReport: Codable {
    var from: String
    var to: String
    var kind: String
    var codec: String
    var ok = true
    /// Why it is not whole.
    var failure: String?
    /// The same, one sentence each, and the kind of each.
    var failures: [String] = []
    var reasons: [FailureReason] = []
    /// Known where the sender belongs to this run.
    var packetsSent: Int?
    var packetsReceived = 0
    var packetsLost = 0
    var packetsRecovered = 0
    var framesSent: Int?
    var framesReceived = 0
    var framesDecoded = 0
    var framesMissing: Int?
    /// Test cards that came in place of missing ones, and could not be read.
    var framesDamaged: Int?
    /// Frames that our key, or the want of one, left closed.
    var framesUndecryptable = 0
    /// Frames and packets that are nothing which the codec can decode.
    var framesUndecodable = 0
    var keyFrameRequests = 0
    /// `call` only: those since everybody's media flowed.
    var keyFrameRequestsAfterStart: Int?
    var freezes = 0
    /// Milliseconds of those, the one at the end included.
    var frozenMs = 0.0
    /// Milliseconds that the track was received and not muted.
    var receivedMs: Double?
    var width: Int?
    var height: Int?
    /// From subscription to the first decoded frame or sound.
    var firstFrameMs: Double?
    /// From capture to the decoded picture.
    var latencyMs: LatencyReport?
    /// When the pictures of a test card were given out.
    var pictures: PicturesReport?
    /// Mean opinion score: of sound by the E-model (1...4.41), of pictures by their size, rate and freezes (1...5).
    var mos: Double?
    /// How far pictures and the same sender's sound were apart.
    var lipSyncMs: LipSyncReport?
    /// The track as W3C webrtc-stats describes it.
    var stats: InboundRTPStreamStats?
    var audio: AudioReport?
}

extension RunReport {
    /// Of a run that was interrupted before it was in a call.
    static func neverJoined(_ identity: String?, _ journal: CallJournal.Summary) -> RunReport {
        var report = RunReport()
        report.identity = identity
        report.interrupted = Interruption.cause?.rawValue
        report.fail(.interrupted, "interrupted by \(report.interrupted ?? "") before the call was joined")
        report.note(journal)
        return report
    }
}

extension TrackReport {
    /// Something about it is not as it should be.
    mutating func fail(_ reason: FailureReason, _ text: String) {
        reasons.append(reason)
        failures.append(text)
        failure = failures.joined(separator: "; ")
        ok = false
    }
}

extension TrackReport {
    /// Adds what was counted of the same sender's track before its connection was made anew.
    mutating func add(earlier: TrackReport) {
        packetsReceived += earlier.packetsReceived
        packetsLost += earlier.packetsLost
        packetsRecovered += earlier.packetsRecovered
        framesReceived += earlier.framesReceived
        framesDecoded += earlier.framesDecoded
        framesUndecryptable += earlier.framesUndecryptable
        framesUndecodable += earlier.framesUndecodable
        framesMissing = Self.sum(framesMissing, earlier.framesMissing)
        framesDamaged = Self.sum(framesDamaged, earlier.framesDamaged)
        keyFrameRequests += earlier.keyFrameRequests
        keyFrameRequestsAfterStart = Self.sum(keyFrameRequestsAfterStart, earlier.keyFrameRequestsAfterStart)
        freezes += earlier.freezes
        frozenMs += earlier.frozenMs
        receivedMs = (receivedMs ?? 0) + (earlier.receivedMs ?? 0)
        firstFrameMs = earlier.firstFrameMs ?? firstFrameMs
        audio?.concealedMs += earlier.audio?.concealedMs ?? 0
        audio?.playedMs += earlier.audio?.playedMs ?? 0
    }

    private static func sum(_ one: Int?, _ other: Int?) -> Int? {
        one == nil && other == nil ? nil : (one ?? 0) + (other ?? 0)
    }
}

/// Percentiles in milliseconds.
struct LatencyReport: Codable {
    var p50: Double
    var p95: Double
    var p99: Double
}

/// Percentiles in milliseconds, whichever was ahead.
struct LipSyncReport: Codable {
    var p50: Double
    var p95: Double
}

/// What was heard.
struct AudioReport: Codable {
    /// 0...1.
    var rms: Double
    var dominantHz: Double?
    /// Audio that had to be invented, inserted silence and underruns included.
    var concealedMs: Double
    /// Milliseconds that were played, concealment included.
    var playedMs: Double
    /// Similarity of the short-time spectra with what the sender spoke, 0...1; known where the sender belongs to this run.
    var match: Double?
    /// The same against any other sender.
    var bestOther: Double?
    /// Full-reference score against what was said, 1...5; with `call --score` and `join --score-reference`.
    var score: Double?
    /// What it was made from.
    var scored: ScoreReport?

    /// Adds a full-reference score.
    mutating func note(_ opinion: ReferenceOpinion) {
        scored = ScoreReport(opinion)
        score = (opinion.score * 100).rounded() / 100
    }
}

/// How well the active speaker was told.
struct ActiveSpeakerReport: Codable {
    /// Share of speech time with the right speaker, the first 400 ms of a turn left out; nil without a script.
    var accuracy: Double?
    var switches = 0
}

/// Something that happened.
struct EventReport: Codable {
    /// Milliseconds since the start.
    var ms: Double
    var event: String
    var participant: String?
    var detail: String?
}
