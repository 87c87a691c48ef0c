import CallBridge
import MediaCore

/// What `call` and `join` print with `--json`: one object.
struct RunReport: Codable {
    /// True where all that was sent was seen.
    var ok = true
    /// What was lost, one sentence each.
    var failures: [String] = []
    /// The provider that carried the call.
    var provider = ""
    /// `join` only: who we were.
    var identity: String?
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
    /// `join` only: what went beside the media.
    var data: DataReport?
    /// `join` only: what happened, in order.
    var events: [EventReport]?
}

extension RunReport {
    /// Adds what the call's journal came to; a broken rule is a failure.
    mutating func note(_ summary: CallJournal.Summary) {
        journal = JournalReport(summary)
        failures += summary.violations.map { "journal: \($0)" }
        ok = failures.isEmpty
    }
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
    /// Known where the sender belongs to this run.
    var packetsSent: Int?
    var packetsReceived = 0
    var packetsLost = 0
    var packetsRecovered = 0
    var framesSent: Int?
    var framesReceived = 0
    var framesDecoded = 0
    var framesMissing: Int?
    var keyFrameRequests = 0
    /// `call` only: those since everybody's media flowed.
    var keyFrameRequestsAfterStart: Int?
    var freezes = 0
    var width: Int?
    var height: Int?
    /// From subscription to the first decoded frame or sound.
    var firstFrameMs: Double?
    /// From capture to the decoded picture.
    var latencyMs: LatencyReport?
    var audio: AudioReport?
}

/// Percentiles in milliseconds.
struct LatencyReport: Codable {
    var p50: Double
    var p95: Double
    var p99: Double
}

/// What was heard.
struct AudioReport: Codable {
    /// 0...1.
    var rms: Double
    var dominantHz: Double?
    /// Audio that had to be invented, inserted silence and underruns included.
    var concealedMs: Double
    /// Similarity of the short-time spectra with what the sender spoke, 0...1; known where the sender belongs to this run.
    var match: Double?
    /// The same against any other sender.
    var bestOther: Double?
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
