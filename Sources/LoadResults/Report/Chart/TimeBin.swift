/// A run cut into at most so many pieces of equal length, for charts.
struct TimeAxis {
    /// Charts have no more columns than this: a longer run has several seconds in each.
    static let mostBins = 240

    /// Seconds of one bin.
    let step: Int
    let bins: [TimeBin]

    init(_ results: LoadResults) {
        let last = results.seconds.last.map { $0.second + 1 } ?? 0
        let length = max(last, Int(min(results.durationSeconds, Double(LoadResults.longestRun)).rounded(.up)), 1)
        let step = Self.steps.first { length <= $0 * Self.mostBins } ?? (length + Self.mostBins - 1) / Self.mostBins
        var bins = (0..<(length + step - 1) / step).map { TimeBin(start: $0 * step) }
        for sample in results.seconds where (0..<length).contains(sample.second) {
            bins[sample.second / step].add(sample)
        }
        self.step = step
        self.bins = bins
    }

    private static let steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 1_800, 3_600]

    var length: Int { bins.count * step }

    /// Where a second lies, 0 to 1,000.
    func x(_ second: Double) -> Double { min(max(second / Double(length), 0), 1) * 1_000 }

    /// Moments with labels: at most nine, at round numbers.
    var ticks: [(second: Int, label: String)] {
        let distances = [5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 21_600, 43_200, 86_400, 604_800]
        let distance = distances.first { length <= $0 * 8 } ?? length
        return stride(from: 0, through: length, by: distance).map { ($0, Self.label($0)) }
    }

    /// `1:05`, `2:00:00`.
    static func label(_ second: Int) -> String {
        let (minutes, rest) = (second / 60, second % 60)
        let tail = rest < 10 ? "0\(rest)" : "\(rest)"
        guard minutes >= 60 else { return "\(minutes):\(tail)" }
        return "\(minutes / 60):\(minutes % 60 < 10 ? "0" : "")\(minutes % 60):\(tail)"
    }
}

/// What happened in one column of the charts.
struct TimeBin {
    let start: Int
    /// Seconds that were sampled.
    private(set) var samples = 0
    private(set) var participants = ParticipantCounts()
    private(set) var audio = MediaCounters()
    private(set) var video = MediaCounters()
    private(set) var latency = HistogramSnapshot()
    private(set) var roundTripTime = HistogramSnapshot()
    private(set) var tester = TesterHealth()
    private(set) var serverCPU: Double?
    private(set) var serverMemory: Int64?
    private(set) var isSaturated = false

    init(start: Int) { self.start = start }

    fileprivate mutating func add(_ sample: SecondSample) {
        samples += 1
        var counts = sample.participants
        counts.joins = counts.joins.saturatingAdd(participants.joins)
        counts.failures = counts.failures.saturatingAdd(participants.failures)
        counts.losses = counts.losses.saturatingAdd(participants.losses)
        participants = counts
        audio.add(sample.audio)
        video.add(sample.video)
        latency.addIfAlike(sample.latency)
        roundTripTime.addIfAlike(sample.roundTripTime)
        tester.addWorst(sample.tester)
        serverCPU = [serverCPU, sample.server?.cpuProcess].compactMap(\.self).max()
        serverMemory = [serverMemory, sample.server?.residentBytes].compactMap(\.self).max()
        isSaturated = isSaturated || !sample.saturated.isEmpty
    }

    /// A count of the bin as so many a second.
    func rate(_ count: Int) -> Double? { samples > 0 ? Double(count) / Double(samples) : nil }

    /// A value of the bin; nil where nothing was sampled.
    func sampled(_ value: Double) -> Double? { samples > 0 ? value : nil }
}

extension HistogramSnapshot {
    /// Of two precisions the first one stands.
    mutating func addIfAlike(_ other: HistogramSnapshot?) {
        guard let other else { return }
        if isEmpty { self = other } else { add(other) }
    }
}
