import RTCWire

/// When the sound of a session is played, and how loud it was meanwhile. A value.
struct PlayoutClock {
    /// Nil while there is no sound to be played.
    private var schedule: TickSchedule?
    /// When playing could begin; what was due before isn't late.
    private var began = Instant.zero
    private var levels: [AudioLevelReport] = []
    private var ticks = 0
    /// Stretches of 20 ms that were left out because they were too late, and how often that happened.
    private(set) var skipped = 0
    private(set) var skips = 0
    /// Stretches of 20 ms that were played.
    var played: Int { ticks }

    var nextDeadline: Instant { schedule?.deadline ?? .distantFuture }

    /// Begins to play. Half a tick behind the time at which sound is read and sent, so that what a neighbour on this
    /// machine sends is played soon and not a whole tick later.
    mutating func start(now: Instant) {
        guard schedule == nil else { return }
        began = now
        let interval = Interval.milliseconds(AudioReceiver.tickFrames / 48)
        schedule = .aligned(interval: interval, offset: interval * 0.5, now: now)
    }

    mutating func stop() { schedule = nil }

    /// Leaves out what is too late to be made up for; call it once before `take`.
    mutating func begin(at now: Instant, into work: SessionWork) {
        guard let due = schedule?.deadline, due <= now else { return }
        let late = schedule?.skip(at: now) ?? 0
        skipped += late
        skips += late > 0 ? 1 : 0
        work.wakes.append(TimedWake(due: max(due, began), now: now, skipped: late))
    }

    /// The next 20 ms that are due.
    mutating func take(at now: Instant) -> Instant? {
        guard let tick = schedule?.take(at: now) else { return nil }
        ticks += 1
        return tick.due
    }

    mutating func note(_ level: UInt8, of track: RemoteTrack, at time: Instant) {
        levels.append(AudioLevelReport(trackID: track.trackID, level: Int(level), atNanoseconds: time.nanoseconds))
    }

    /// The levels since the last report. Two ticks share one: half the crossings, and still soon enough for detecting
    /// speakers.
    mutating func takeLevels() -> [AudioLevelReport]? {
        guard ticks % 2 == 0, !levels.isEmpty else { return nil }
        defer { levels.removeAll(keepingCapacity: true) }
        return levels
    }
}
