public import CallBridge
import MediaCore
import Synchronization

/// Somebody in a scenario: their call, and everything that they were told, heard and saw.
public final class ConformancePerson: Sendable {
    /// Who.
    public let identity: String
    /// Their call.
    public let call: Call
    private let state = Mutex(ConformanceRecord())

    init(_ identity: String, call: Call) {
        self.identity = identity
        self.call = call
    }

    func watch() async {
        await call.observe { [weak self] event in self?.state.withLock { $0.note(event) } }
    }

    /// Everything so far, in one line each.
    public var log: [String] { state.withLock { $0.log } }
    /// What does not fit together in it.
    public var violations: [String] {
        let broken = state.withLock { $0.violations }
        return broken.map { "\(identity) was told what can't be: \($0)" }
    }

    /// The others who are there, as last told.
    public var present: [Participant] { state.withLock { Array($0.people.values) } }
    /// How often somebody came.
    public func arrivals(of identity: String) -> Int { state.withLock { $0.arrivals[identity] ?? 0 } }
    /// How somebody left, once for each time.
    public func departures(of identity: String) -> [ParticipantLeftReason] {
        state.withLock { $0.departures[identity] ?? [] }
    }
    /// The tracks that somebody publishes, as last told.
    public func tracks(of identity: String) -> [Track] {
        state.withLock { $0.people.values.first { $0.identity == identity }?.tracks ?? [] }
    }
    /// Why the call ended; nil while it has not.
    public var ending: CallEndReason? { state.withLock { $0.ending } }
    /// How long each loss of the connection lasted, in milliseconds.
    public var gaps: [Double] { state.withLock { $0.gaps } }
    /// The states of the call, in order.
    public var states: [CallState] { state.withLock { $0.states } }
    /// The SRTP profile that was agreed on.
    public var srtpProfile: String? { state.withLock { $0.srtpProfile } }
    /// Whom the server has called a speaker at some time, by identity.
    public var serverSpeakers: Set<String> { state.withLock { $0.serverSpeakers } }
    /// The active speaker, by identity.
    public var activeSpeaker: String? { state.withLock { $0.activeSpeaker } }
    /// Whether media of somebody's track can arrive.
    public func isSubscribed(to identity: String, _ kind: MediaKind) -> Bool {
        state.withLock { $0.probe(identity, kind) != nil }
    }

    // MARK: Hearing and seeing

    /// The tone that is heard from somebody, in hertz, in the last half second or more; nil while there is too little.
    public func tone(from identity: String) -> Double? {
        guard let ear = state.withLock({ $0.probe(identity, .audio)?.ear }) else { return nil }
        return ear.hertz
    }

    /// How loud somebody has been since `listenAnew`, as root mean square of full scale.
    public func loudness(of identity: String) -> Double {
        state.withLock { $0.probe(identity, .audio)?.ear }?.meter.measurement.rms ?? 0
    }

    /// How many pictures of the right test card were seen of somebody.
    public func pictures(of identity: String) -> Int {
        state.withLock { $0.probe(identity, .video)?.card.report.framesRead } ?? 0
    }

    /// What was seen of somebody.
    public func card(of identity: String) -> TestCardReport? {
        state.withLock { $0.probe(identity, .video)?.card.report }
    }

    /// Forgets what was heard.
    public func listenAnew() { state.withLock { for probe in $0.probes.values { probe.ear.meter.reset() } } }

    /// Whether a tone of that frequency is heard from somebody.
    public func hears(_ identity: String, _ hertz: Double) -> Bool {
        tone(from: identity).map { abs($0 - hertz) < 5 } ?? false
    }
}

/// Takes in what is received of one track.
struct ConformanceProbe: Sendable {
    let owner: String
    let kind: MediaKind
    let ear = Ear()
    let card = TestCardSink()

    /// Measures a track's sound.
    final class Ear: AudioSink {
        let meter = AudioMeter()

        func receive(_ frame: AudioFrame) { meter.receive(frame) }

        var hertz: Double? {
            let measurement = meter.measurement
            guard measurement.duration > 0.5, measurement.rms > 0.01 else { return nil }
            return measurement.dominantHz
        }
    }

    init(_ media: RemoteTrack, of owner: String) {
        self.owner = owner
        kind = media.kind
        if kind == .audio { media.attach(ear) } else { media.attach(card) }
    }
}
