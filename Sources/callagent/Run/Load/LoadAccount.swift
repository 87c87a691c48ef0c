import LoadCore
import LoadResults
import MediaCore

/// What came of subscriptions in some time.
struct LoadTotals {
    var audio = DeliveryLedger.Counts()
    var video = DeliveryLedger.Counts()
    var messages = DeliveryLedger.Counts()
    /// Subscriptions to pictures.
    var pictures = 0
    /// The smallest stream that comes, 0 for the smallest there is; nil where none comes.
    var layer: Int?
    /// Milliseconds from the join to the first frames.
    var first: [MediaKind: Double] = [:]

    mutating func add(_ counts: DeliveryLedger.Counts, _ kind: MediaKind) {
        if kind == .audio { audio.add(counts) } else { video.add(counts) }
    }

    mutating func note(layer: UInt8?, of count: Int) {
        pictures += 1
        guard let layer else { return }
        self.layer = min(self.layer ?? .max, max(0, count - 1 - Int(layer)))
    }
}

/// One participant's account: what has been told of it, and what is to be told.
struct LoadAccount {
    enum State { case joining, joined, reconnecting, gone }

    /// What one second brought.
    struct Change {
        var audio = MediaCounters()
        var video = MediaCounters()
        var receiveBufferDrops = 0
        /// The longest in milliseconds that a frame left late.
        var sendDelay = 0.0
        /// It is gone, and all has been told.
        var isLast = false
        var state = State.joining
    }

    var result: ParticipantResult
    var state = State.joining
    /// What it failed for want of, where that is something here.
    var shortage: String?
    private(set) var receiveBufferDrops = 0
    private(set) var unstamped = 0
    private(set) var misdelivered = 0
    private(set) var layerSwitches = 0
    private(set) var data = DataCounters()
    /// Counted and not yet told.
    private var change = Change()
    /// All that was counted has been told since it is gone.
    private(set) var isTold = false
    /// What the media connections of the present session had counted.
    private var polled = PolledCounters()
    private var roundTrips = (sum: 0.0, count: 0)
    private var timeline: TimelineRows

    init(_ plan: PlannedParticipant, startSecond: Double) {
        let role: ParticipantRole = plan.publishes ? (plan.subscribes ? .both : .publisher) : .subscriber
        result = ParticipantResult(identity: plan.identity, room: plan.room, role: role)
        result.startSecond = startSecond
        timeline = TimelineRows(startSecond: Int(startSecond))
    }

    // MARK: Taking in

    /// What subscriptions brought.
    mutating func take(_ totals: LoadTotals) {
        isTold = false
        change.audio.inbound.add(totals.audio, isVideo: false)
        change.video.inbound.add(totals.video, isVideo: true)
        unstamped += totals.audio.unstamped + totals.video.unstamped
        misdelivered += totals.audio.misdelivered + totals.video.misdelivered
        layerSwitches += totals.video.layerSwitches
        data.add(totals.messages)
        if let first = totals.first[.audio] { result.firstAudioMs = result.firstAudioMs ?? first }
        if let first = totals.first[.video] { result.firstVideoMs = result.firstVideoMs ?? first }
    }

    /// What became of a remote procedure call.
    enum CallOutcome { case answered, absent, failed }

    mutating func noteCall(_ outcome: CallOutcome) {
        data.rpcCalls += 1
        switch outcome {
        case .answered: data.rpcAnswers += 1
        case .failed: data.rpcFailures += 1
        case .absent: break
        }
    }

    /// What the media connections have counted.
    mutating func take(_ statistics: SessionStatistics) {
        let now = PolledCounters(statistics)
        now.add(since: polled, to: &change)
        receiveBufferDrops += now.receiveBufferDrops - polled.receiveBufferDrops
        polled = now
        guard let trip = statistics.roundTripMilliseconds else { return }
        roundTrips = (roundTrips.sum + trip, roundTrips.count + 1)
    }

    /// The media connections are gone; the next ones count anew.
    mutating func endSession() { polled = PolledCounters() }

    // MARK: Telling

    /// What came since the last call, so many seconds ago.
    mutating func sample(second: Int, seconds: Double, _ totals: LoadTotals?) -> Change {
        if let totals {
            take(totals)
            change.video.inbound.totalDuration += Double(totals.pictures) * seconds
        }
        change.state = state
        isTold = state == .gone && totals == nil
        result.audio.add(change.audio)
        result.video.add(change.video)
        note(second, layer: totals?.layer)
        defer { change = Change() }
        return change
    }

    private mutating func note(_ second: Int, layer: Int?) {
        guard result.role != .publisher else { return }
        timeline.note(second, audio: change.audio.inbound, video: change.video.inbound, layer: layer)
    }

    /// It is gone.
    mutating func finish(second: Double) {
        result.endSecond = result.endSecond ?? second
        result.timeline = timeline.columns
        if roundTrips.count > 0 { result.roundTripTimeMs = roundTrips.sum / Double(roundTrips.count) }
    }
}

/// What media connections have counted of what only they know.
private struct PolledCounters {
    private var audio = MediaCounters()
    private var video = MediaCounters()
    private(set) var receiveBufferDrops = 0

    init() {}

    init(_ statistics: SessionStatistics) {
        receiveBufferDrops = statistics.receiveBufferDrops
        for sender in statistics.senders {
            if sender.kind == .audio { audio.outbound.add(sender) } else { video.outbound.add(sender) }
        }
        for receiver in statistics.receivers + statistics.endedReceivers {
            if receiver.kind == .audio { audio.inbound.add(receiver) } else { video.inbound.add(receiver) }
        }
    }

    /// Adds what came after `earlier`.
    func add(since earlier: PolledCounters, to change: inout LoadAccount.Change) {
        change.audio.add(audio.since(earlier.audio))
        change.video.add(video.since(earlier.video))
        change.receiveBufferDrops += receiveBufferDrops - earlier.receiveBufferDrops
    }
}
