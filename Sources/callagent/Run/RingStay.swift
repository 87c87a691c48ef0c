import CallBridge
import MediaCore

/// What `ring` and `answer` see of a call once it is connected: whom they met, what they heard, how it ended.
actor RingStay {
    /// How a stay ended.
    private(set) var ended: String?
    /// Those who were there, in the order in which they came.
    private(set) var met: [String] = []
    private var present: Set<String> = []
    private let meter = AudioMeter()
    private let call: Call
    private let recordings: RingRecordings?
    private let says: @Sendable (String) -> Void
    /// From when we joined on: others may have come and gone before anybody stays.
    private let events: AsyncStream<CallEvent>

    /// Begins to listen; to be made as soon as the call has been joined.
    ///
    /// - Parameter says: gets a line for each thing that happens.
    init(_ call: Call, recordings: RingRecordings? = nil, says: @escaping @Sendable (String) -> Void = { _ in }) {
        self.call = call
        self.recordings = recordings
        self.says = says
        events = call.events
    }

    /// Stays until the time is over, everybody else has left or nobody has come, the call ends, or the user interrupts.
    func stay(seconds: Double) async {
        await withTaskGroup(of: String?.self) { group in
            group.addTask { await self.watch() }
            group.addTask { await self.waitForAnybody() }
            group.addTask {
                await Interruption.wait()
                return nil
            }
            group.addTask {
                try? await Task.sleep(for: .seconds(seconds))
                return nil
            }
            ended = await group.next() ?? nil
            group.cancelAll()
        }
        ended = ended ?? ParticipantLeftReason.hangUp.rawValue
    }

    /// The loudest frequency heard, in hertz; nil where nothing was.
    var heardHz: Double? { meter.measurement.dominantHz.map { ($0 * 10).rounded() / 10 } }

    /// Seconds in which whoever rang, or has answered, must have been met.
    private static let patience = 30

    /// Ends the stay where nobody was met: whoever rang may have gone again before we came.
    private func waitForAnybody() async -> String? {
        try? await Task.sleep(for: .seconds(Self.patience))
        if met.isEmpty { return "OTHERS_LEFT" }
        while !Task.isCancelled { try? await Task.sleep(for: .seconds(3_600)) }
        return nil
    }

    private func watch() async -> String? {
        for await event in events {
            switch event {
            case .participantJoined(let participant):
                present.insert(participant.identity)
                if !met.contains(participant.identity) { met.append(participant.identity) }
                says("\(participant.identity) is there")
            case .participantLeft(let participant, let reason):
                present.remove(participant.identity)
                says("\(participant.identity) has left: \(reason.rawValue)")
                if present.isEmpty { return "OTHERS_LEFT" }
            case .trackSubscribed(let remote, let track, let participant):
                if track.kind == .audio { remote.attach(meter) }
                recordings?.record(remote, kind: track.kind, of: participant.identity)
                says("\(track.kind.rawValue) of \(participant.identity)")
            case .activeSpeakerChanged(let participant):
                says(participant.map { "\($0.identity) speaks" } ?? "nobody speaks")
            case .ended(let reason, _): return await call.exclusion?.rawValue ?? reason.rawValue
            default: break
            }
        }
        return nil
    }
}
