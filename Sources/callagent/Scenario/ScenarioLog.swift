import CallBridge
import MediaCore
import ScenarioCore
import Synchronization

/// What one person was told and what was measured for them, as an observation for the judge.
final class ScenarioLog: Sendable {
    fileprivate struct State {
        var observation: Observation
        /// By the provider's id of the track, of the present stay.
        var probes: [String: ScenarioProbe] = [:]
        /// Of stays that are over.
        var earlier: [TrackKey: MediaCounts] = [:]
        var indicator = ActiveCallIndicator()
        var hasEnded = false
        var troubles: [String] = []
    }

    private let person: PlannedPerson
    private let scene: ScenarioScene
    private let state: Mutex<State>

    init(_ person: PlannedPerson, scene: ScenarioScene) {
        self.person = person
        self.scene = scene
        state = Mutex(State(observation: Observation(identity: person.identity)))
    }

    var observation: Observation { state.withLock { $0.observation } }
    /// What could not be done, with the lines that ask for it.
    var troubles: [String] { state.withLock { $0.troubles } }
    var hasEnded: Bool { state.withLock { $0.hasEnded } }
    var isConnected: Bool { state.withLock { $0.observation.joining.connectMs != nil && !$0.hasEnded } }
    var flowing: Int { state.withLock { $0.probes.count } }

    func noteTrouble(_ text: String) { state.withLock { $0.troubles.append("\(person.identity), \(text)") } }

    func noteRing(_ outcome: ScenarioRingOutcome) { state.withLock { $0.observation.ring = outcome } }

    // MARK: Coming and going

    func begin() {
        state.withLock { state in
            state.hasEnded = false
            state.observation.ending = .never
        }
    }

    func noteFailure(_ why: String) {
        state.withLock { state in
            state.observation.joining.failure = why
            state.observation.ending = .failed
            state.hasEnded = true
        }
    }

    func joined(_ call: Call, recordings: ContainerRecordings?) async {
        state.withLock { state in
            state.observation.joining.provider = ScenarioProvider(call.descriptor.provider)
            state.observation.joining.providerChanges += call.providerChanges.count
        }
        await call.observe { [weak self] event in self?.note(event, recordings: recordings) }
    }

    /// A stay is over, by our own doing or not.
    ///
    /// - Parameter exclusion: why they are out of a call that goes on.
    func close(exclusion: CallExclusion?, greeting: GreetingSummary?) {
        state.withLock { state in
            if !state.hasEnded { state.observation.ending = .left }
            if let exclusion {
                state.observation.ending = exclusion == .duplicateIdentity ? .duplicate : .removed
            }
            state.hasEnded = true
            if let greeting {
                state.observation.greeting = GreetingObservation(
                    playedMs: greeting.playedMs, overlapMs: greeting.overlapMs)
            }
            for probe in state.probes.values { probe.detach() }
            state.probes = [:]
            for (key, track) in state.observation.tracks {
                if let last = track.samples.keys.max() { state.earlier[key] = track.samples[last] }
            }
        }
    }

    /// The counts at the very end of a stay go into its last slice.
    func take(_ statistics: SessionStatistics) {
        state.withLock { state in
            guard let slice = state.observation.tracks.values.compactMap({ $0.samples.keys.max() }).max() else {
                return
            }
            state.sample(slice, statistics)
        }
    }

    /// They were in the call when the scenario was over.
    func noteStayed() { state.withLock { $0.observation.ending = .never } }

    func noteRecordings(_ reports: [RecordingReport]) {
        state.withLock { state in
            state.observation.recordings += reports.map {
                RecordingObservation(
                    from: $0.from, lengthMs: ($0.durationSeconds * 1000).rounded(), tracks: $0.tracks.count,
                    failure: $0.failure)
            }
        }
    }

    // MARK: Events

    private func note(_ event: CallEvent, recordings: ContainerRecordings?) {
        let now = scene.elapsedMs
        state.withLock { state in
            guard !state.hasEnded else { return }
            state.count(event)
            state.note(event, at: now)
            for action in state.indicator.apply(event) {
                guard case .show(let appearance) = action else { continue }
                state.observation.shown.indicator.append(.init(atMs: now, value: appearance.word))
            }
        }
        switch event {
        case .trackSubscribed(let remote, let track, let owner):
            subscribe(remote, track, owner)
            recordings?.record(remote, track, of: owner)
        case .trackUnsubscribed(let track, _): recordings?.release(track)
        default: break
        }
    }

    private func subscribe(_ remote: RemoteTrack, _ track: Track, _ owner: Participant) {
        let key = TrackKey(from: owner.identity, media: track.kind == .audio ? .audio : .video)
        let probe = state.withLock { state in
            if let known = state.probes[track.id] { return known }
            let probe = ScenarioProbe(
                key, of: scene.plan[owner.identity], number: scene.number(of: owner.identity),
                isCounted: person.reception.isCounted)
            state.probes[track.id] = probe
            return probe
        }
        probe.attach(to: remote)
    }

    // MARK: Measuring

    /// - Parameter statistics: nil outside the call.
    func takeSlices(_ slices: Range<Int>, _ statistics: SessionStatistics?) {
        guard let last = slices.last else { return }
        state.withLock { state in
            for probe in state.probes.values {
                let came = probe.takeSlice()
                guard came.right > 0 || came.wrong > 0 else { continue }
                for slice in slices {
                    var sum = state.observation.tracks[probe.key, default: .init()].slices[slice] ?? MediaSlice()
                    sum.right += came.right
                    sum.wrong += came.wrong
                    state.observation.tracks[probe.key, default: .init()].slices[slice] = sum
                }
            }
            if let statistics { state.sample(last, statistics) }
        }
    }
}

extension ScenarioLog.State {
    /// Sums the counts of all probes of a track, and those of earlier stays.
    fileprivate mutating func sample(_ slice: Int, _ statistics: SessionStatistics) {
        let receivers = statistics.endedReceivers + statistics.receivers
        var sums = earlier
        // Sums of fractions depend on their order.
        for (_, probe) in probes.sorted(by: { $0.key < $1.key }) {
            guard let counts = probe.counts(receivers) else { continue }
            sums[probe.key] = (sums[probe.key] ?? MediaCounts()).adding(counts)
        }
        for (key, counts) in sums { observation.tracks[key, default: .init()].samples[slice] = counts }
    }

    fileprivate mutating func note(_ event: CallEvent, at now: Int) {
        switch event {
        case .mediaConnected(_, let milliseconds): observation.joining.connectMs = (milliseconds * 10).rounded() / 10
        case .reconnected(let gap, _): observation.gapsMs.append(gap.rounded())
        case .participantJoined(let participant): observation.met.insert(participant.identity)
        case .activeSpeakerChanged(let participant):
            observation.shown.speakers.append(.init(atMs: now, value: participant?.identity ?? "nobody"))
        case .ended(let reason, _):
            hasEnded = true
            observation.ending = ScenarioEnding(reason)
        default: break
        }
    }

    fileprivate mutating func count(_ event: CallEvent) {
        guard let name = event.countedName else { return }
        observation.events[name, default: 0] += 1
    }
}

extension ScenarioEnding {
    init(_ reason: CallEndReason) {
        switch reason {
        case .conversationEnded: self = .conversationEnded
        case .systemShutdown: self = .providerLost
        case .lastMandatoryParticipantLeft: self = .left
        default: self = .removed
        }
    }
}

extension MediaCounts {
    fileprivate func adding(_ other: MediaCounts) -> MediaCounts {
        var sum = self
        sum.packetsReceived += other.packetsReceived
        sum.packetsLost += other.packetsLost
        sum.frames += other.frames
        sum.missing += other.missing
        sum.freezes += other.freezes
        sum.frozenMs += other.frozenMs
        sum.concealedMs += other.concealedMs
        sum.playedMs += other.playedMs
        sum.undecryptable += other.undecryptable
        sum.firstFrameMs = firstFrameMs ?? other.firstFrameMs
        return sum
    }
}

extension IndicatorAppearance {
    fileprivate var word: String {
        switch isVisible ? content : .empty {
        case .empty: "empty"
        case .avatar: "avatar"
        case .video: "video"
        }
    }
}

extension CallEvent {
    /// As `events` of a scenario call it; nil for what is not counted.
    fileprivate var countedName: String? {
        switch self {
        case .participantJoined: "participantJoined"
        case .participantLeft: "participantLeft"
        case .trackPublished: "trackPublished"
        case .trackUnpublished: "trackUnpublished"
        case .trackSubscribed: "trackSubscribed"
        case .trackUnsubscribed: "trackUnsubscribed"
        case .trackMuted: "trackMuted"
        case .trackUnmuted: "trackUnmuted"
        case .activeSpeakerChanged: "activeSpeakerChanged"
        case .reconnecting: "reconnecting"
        case .reconnected: "reconnected"
        case .providerChanged: "providerChanged"
        case .streamState(.paused, _, _): "streamPaused"
        default: nil
        }
    }
}
