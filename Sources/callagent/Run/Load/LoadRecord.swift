import LoadCore
import LoadResults

/// What a load test has recorded.
struct LoadRecord {
    /// Why it was over.
    enum Ending: Equatable {
        case planned
        case interrupted(String)
        case serverLost(String)
        /// This machine gives no more: descriptors, ports.
        case shortage(String)

        /// In words; nil for the planned end.
        var words: String? {
            switch self {
            case .planned: nil
            case .interrupted(let cause): "interrupted by \(cause)"
            case .serverLost(let words), .shortage(let words): words
            }
        }
    }

    /// Of more participants none has a timeline.
    static let timelineLimit = 1_000

    private(set) var results: LoadResults
    private(set) var ending = Ending.planned
    private(set) var shortage: String?
    private(set) var cards = CardCounts()
    /// What was left after each cycle.
    private(set) var cycles: [CycleRemainder] = []
    private(set) var misdelivered = 0
    private(set) var unstamped = 0
    private var data = DataCounters()
    private let keepsTimelines: Bool

    init(_ header: RunHeader, keepsTimelines: Bool) {
        results = LoadResults(run: header)
        self.keepsTimelines = keepsTimelines
    }

    mutating func add(_ sample: SecondSample) { results.seconds.append(sample) }

    mutating func noteCycle(heap: Int64, descriptors: Int) {
        cycles.append(CycleRemainder(heapBytes: heap - Int64(results.footprint), openFiles: descriptors))
    }

    /// A participant that is gone.
    mutating func add(_ account: LoadAccount) {
        var result = account.result
        if !keepsTimelines { result.timeline = nil }
        results.participants.append(result)
        misdelivered += account.misdelivered
        unstamped += account.unstamped
        data.add(account.data)
        shortage = shortage ?? account.shortage
    }

    /// It is over now.
    mutating func end(_ ending: Ending, at second: Double) {
        self.ending = ending
        results.durationSeconds = second
        results.interruption = ending.words
        if ending != .planned { results.state = .interrupted }
    }

    mutating func finish(_ meters: LoadMeters, _ thresholds: [Threshold] = []) {
        cards = meters.cards
        results.histograms.join = meters.join.snapshot
        results.histograms.firstAudio = meters.firstAudio.snapshot
        results.histograms.firstVideo = meters.firstVideo.snapshot
        results.histograms.latency = meters.latency.snapshot
        results.histograms.roundTripTime = meters.roundTripTime.snapshot
        if data.rpcCalls > 0 { results.histograms.rpc = meters.calls.snapshot }
        if data != DataCounters() { results.data = data }
        if cycles.count > 1 { results.cycles = cycles }
        results.participants.sort { ($0.room, $0.startSecond, $0.identity) < ($1.room, $1.startSecond, $1.identity) }
        var judged = results
        LoadVerdict.judge(&judged, self, thresholds)
        results = judged
    }
}
