/// Why results can't be merged.
package struct MergeError: Error, Equatable, CustomStringConvertible {
    package let description: String
}

extension LoadResults {
    /// The results of one run whose participants were on several machines. Seconds are put together by the clock; counts and
    /// histograms are exact sums; of the testers' health the worst is kept.
    ///
    /// - Parameter parts: with the names of their files, for messages.
    package static func merge(_ parts: [(name: String, results: LoadResults)]) throws(MergeError) -> LoadResults {
        guard let first = parts.min(by: { $0.results.run.timestamp < $1.results.run.timestamp })?.results else {
            throw MergeError(description: "there is nothing to merge; name two files or more")
        }
        try checkDistinct(parts)
        var merged = LoadResults(run: first.run)
        merged.run.shard = nil
        merged.shards = parts.flatMap { $0.results.shards ?? [$0.results.run] }
        var seconds: [Int: SecondSample] = [:]
        for (name, part) in parts {
            let offset = try offset(part.run.timestamp, first.run.timestamp, name)
            try merged.add(part, offset: offset, name: name)
            for sample in part.seconds {
                let second = sample.second + offset
                var sum = seconds[second] ?? SecondSample(second: second)
                try sum.add(sample, name: name)
                seconds[second] = sum
            }
        }
        merged.seconds = seconds.values.sorted { $0.second < $1.second }
        merged.noteMissing(parts.map(\.results))
        let expressions = Set(parts.flatMap { $0.results.verdicts.thresholds.map(\.expression) }).sorted()
        merged.judge(expressions.compactMap { try? Threshold($0) })
        return merged
    }

    /// Whole seconds by which a part began later than the first one.
    private static func offset(_ start: Int64, _ first: Int64, _ name: String) throws(MergeError) -> Int {
        let (distance, overflows) = start.subtractingReportingOverflow(first)
        guard !overflows, distance < Int64(longestRun) * 1_000 else {
            throw MergeError(description: "\(name) began more than a month after the first one; is it of the same run?")
        }
        return Int((distance + 500) / 1_000)
    }

    private static func checkDistinct(_ parts: [(name: String, results: LoadResults)]) throws(MergeError) {
        for (index, part) in parts.enumerated() {
            for other in parts[..<index] {
                let isSameShard = part.results.run.shard != nil && part.results.run.shard == other.results.run.shard
                guard !isSameShard, part.results.run != other.results.run else {
                    throw MergeError(
                        description: "\(other.name) and \(part.name) are the same part of a run; name each part once")
                }
            }
        }
    }

    private mutating func add(_ part: LoadResults, offset: Int, name: String) throws(MergeError) {
        try histograms.add(part.histograms, name: name)
        if let theirs = part.data {
            var sum = data ?? DataCounters()
            sum.add(theirs)
            data = sum
        }
        for var participant in part.participants {
            participant.startSecond += Double(offset)
            participant.endSecond? += Double(offset)
            participant.timeline?.startSecond += offset
            participants.append(participant)
        }
        durationSeconds = max(durationSeconds, part.durationSeconds + Double(offset))
        if part.state != .complete {
            state = state == .partial ? .partial : part.state
            interruption = [interruption, "\(name): \(part.interruption ?? part.state.rawValue)"].compactMap(\.self)
                .joined(separator: "; ")
        }
    }

    /// Parts that the run had and that are not here.
    private mutating func noteMissing(_ parts: [LoadResults]) {
        let present = (shards ?? []).compactMap(\.shard)
        guard let count = present.map(\.count).max(), present.count < count else { return }
        state = .partial
        let missing = "\(count - present.count) of \(count) shards are missing"
        interruption = [interruption, missing].compactMap(\.self).joined(separator: "; ")
    }
}

extension RunHistograms {
    fileprivate mutating func add(_ other: RunHistograms, name: String) throws(MergeError) {
        try Self.add(other.join, to: &join, name)
        try Self.add(other.firstAudio, to: &firstAudio, name)
        try Self.add(other.firstVideo, to: &firstVideo, name)
        try Self.add(other.latency, to: &latency, name)
        try Self.add(other.roundTripTime, to: &roundTripTime, name)
        guard let theirs = other.rpc else { return }
        var sum = rpc ?? HistogramSnapshot(significantDigits: theirs.significantDigits)
        try Self.add(theirs, to: &sum, name)
        rpc = sum
    }

    fileprivate static func add(
        _ other: HistogramSnapshot, to sum: inout HistogramSnapshot, _ name: String
    ) throws(MergeError) {
        if sum.isEmpty {
            sum = other
        } else if !other.isEmpty, !sum.add(other) {
            throw MergeError(
                description: "\(name) has histograms of \(other.significantDigits) digits and another part has them of "
                    + "\(sum.significantDigits): they can't be added exactly; use one release for all parts")
        }
    }
}

extension SecondSample {
    fileprivate mutating func add(_ other: SecondSample, name: String) throws(MergeError) {
        participants.add(other.participants)
        audio.add(other.audio)
        video.add(other.video)
        try Self.add(other.latency, to: &latency, name)
        try Self.add(other.roundTripTime, to: &roundTripTime, name)
        try Self.add(other.join, to: &join, name)
        tester.addWorst(other.tester)
        if let theirs = other.server, theirs.cpuProcess >= server?.cpuProcess ?? 0 { server = theirs }
        saturated = SaturationReason.allCases.filter { (saturated + other.saturated).contains($0) }
    }

    private static func add(
        _ other: HistogramSnapshot?, to sum: inout HistogramSnapshot?, _ name: String
    ) throws(MergeError) {
        guard let other else { return }
        var whole = sum ?? HistogramSnapshot(significantDigits: other.significantDigits)
        try RunHistograms.add(other, to: &whole, name)
        sum = whole
    }
}

extension TesterHealth {
    /// Of two testers in the same second: counts add up, of all else the worse one stands.
    mutating func addWorst(_ other: TesterHealth) {
        loopLagMs = max(loopLagMs, other.loopLagMs)
        lateTimers = lateTimers.saturatingAdd(other.lateTimers)
        timers = other.timers.map { (timers ?? 0).saturatingAdd($0) } ?? timers
        sendQueueDelayMs = max(sendQueueDelayMs, other.sendQueueDelayMs)
        receiveBufferDrops = receiveBufferDrops.saturatingAdd(other.receiveBufferDrops)
        sendFailures = sendFailures.saturatingAdd(other.sendFailures)
        cpuProcess = max(cpuProcess, other.cpuProcess)
        cpuMachine = [cpuMachine, other.cpuMachine].compactMap(\.self).max()
        threads = Array((threads + other.threads).sorted { $0.demand > $1.demand }.prefix(8))
        heapBytes = [heapBytes, other.heapBytes].compactMap(\.self).max()
        residentBytes = [residentBytes, other.residentBytes].compactMap(\.self).max()
        openDescriptors = [openDescriptors, other.openDescriptors].compactMap(\.self).max()
    }
}
