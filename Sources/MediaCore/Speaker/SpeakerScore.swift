import RTCWire

/// How well an active speaker tracker did on a trace, as the project's goal Q6 counts.
package struct SpeakerScore: Hashable, Sendable {
    /// Speech time that counts: one turn of at least a second alone, from 400 ms after its start.
    package private(set) var scored = Interval.zero
    /// The part of it during which the right one was the active speaker.
    package private(set) var right = Interval.zero
    /// Changes of the active speaker, the first one included.
    package private(set) var switches = 0
    /// The shortest time that anybody but the last one was active.
    package private(set) var shortestStay = Interval(nanoseconds: .max)
    /// Changes to somebody who only coughed.
    package private(set) var coughSwitches = 0

    /// Share of the scored time with the right speaker, 0...1.
    package var accuracy: Double { scored > .zero ? right.seconds / scored.seconds : 0 }

    /// A turn's first part that doesn't count.
    private static let grace = Interval.milliseconds(400)
    private static let shortestTurn = Interval.seconds(1)
    private static let step = Interval.milliseconds(10)

    private var since: Instant?

    /// Runs a tracker over a trace.
    package init(_ trace: SpeakerTrace, _ configuration: ActiveSpeakerConfiguration = .init()) {
        var tracker = ActiveSpeakerTracker<Int>(configuration)
        var next = trace.samples.startIndex
        var time = Interval.zero
        while time < trace.duration {
            let now = Instant.zero + time
            while next < trace.samples.endIndex, trace.samples[next].time <= now {
                let sample = trace.samples[next]
                tracker.observe(sample.talker, level: sample.level, at: sample.time)
                next += 1
            }
            tracker.advance(to: now)
            note(tracker.active, trace)
            if let truth = Self.truth(trace, at: time) {
                scored = scored + Self.step
                if tracker.active?.participant == truth { right = right + Self.step }
            }
            time = time + Self.step
        }
    }

    /// The one who must be the active speaker; nil where it doesn't count.
    private static func truth(_ trace: SpeakerTrace, at time: Interval) -> Int? {
        var only: SpeakerTrace.Stretch?
        for turn in trace.turns where turn.start <= time && time < turn.end {
            if only != nil { return nil }
            only = turn
        }
        guard let only, only.duration >= shortestTurn, time - only.start >= grace else { return nil }
        return only.talker
    }

    private mutating func note(_ active: ActiveSpeaker<Int>?, _ trace: SpeakerTrace) {
        guard let active, since != active.since else { return }
        if let since { shortestStay = min(shortestStay, active.since - since) }
        since = active.since
        switches += 1
        let time = active.since - Instant.zero
        let reach = Interval.milliseconds(300)
        func covers(_ stretch: SpeakerTrace.Stretch) -> Bool {
            stretch.talker == active.participant && stretch.start <= time && time < stretch.end + reach
        }
        if trace.coughs.contains(where: covers), !trace.turns.contains(where: covers) { coughSwitches += 1 }
    }
}
