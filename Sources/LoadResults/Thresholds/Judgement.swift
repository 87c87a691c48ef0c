extension LoadResults {
    /// Judges the run: whether it was whole, whether the tester was the bottleneck, and the thresholds.
    package mutating func judge(_ thresholds: [Threshold] = []) {
        verdicts = Verdicts()
        // The tester's own fault comes first: what follows it is not to be trusted then.
        verdicts.saturation = saturation
        if let saturation = verdicts.saturation { verdicts.failures.append(saturation.sentence(of: seconds.count)) }
        let notWhole = wholenessFailures
        verdicts.isWhole = notWhole.isEmpty
        verdicts.failures += notWhole
        verdicts.thresholds = thresholds.map { $0.verdict(self) }
        verdicts.failures += verdicts.thresholds.filter { !$0.ok }.map(\.message)
        verdicts.ok = verdicts.failures.isEmpty
    }

    private var saturation: Saturation? {
        let affected = seconds.filter { !$0.saturated.isEmpty }
        guard !affected.isEmpty else { return nil }
        let reasons = Set(affected.flatMap(\.saturated))
        return Saturation(
            seconds: affected.map(\.second), reasons: SaturationReason.allCases.filter(reasons.contains))
    }

    private var wholenessFailures: [String] {
        var failures: [String] = []
        if state != .complete {
            failures.append("the run is \(state.rawValue): \(interruption ?? "it ended before its time")")
        }
        let failed = participants.count { $0.endReason == .joinFailed }
        if failed > 0 { failures.append("\(failed) of \(participants.count) participants did not get in") }
        let gone = participants.count { $0.endReason == .disconnected || $0.endReason == .removed }
        if gone > 0 { failures.append("\(gone) of \(participants.count) participants were lost after they had joined") }
        for (kind, media) in [("audio", audio), ("video", video)] where media.inbound.packetsLost > 0 {
            let ratio = media.inbound.lossRatio.map { " (\(MetricUnit.ratio.text($0)))" } ?? ""
            let lost = Decimals.grouped(Double(media.inbound.packetsLost))
            failures.append("\(lost) \(kind) packets are lost\(ratio)")
        }
        if let data, data.messagesLost > 0 {
            failures.append("\(data.messagesLost) of \(data.messagesExpected) messages did not come")
        }
        if let data, data.rpcFailures > 0 {
            failures.append("\(data.rpcFailures) of \(data.rpcCalls) remote procedure calls failed")
        }
        return failures
    }
}

extension Saturation {
    /// For the first line of every report.
    package func sentence(of total: Int) -> String {
        "the tester was the bottleneck in \(seconds.count) of \(total) seconds (\(ranges)): "
            + reasons.map(\.words).joined(separator: ", ")
    }

    /// `12-17, 40`; of many the first ones.
    package var ranges: String {
        var ranges: [(first: Int, last: Int)] = []
        for second in seconds {
            if let last = ranges.last, second == last.last + 1 {
                ranges[ranges.count - 1].last = second
            } else {
                ranges.append((second, second))
            }
        }
        let shown = ranges.prefix(6).map { $0.first == $0.last ? "\($0.first)" : "\($0.first)-\($0.last)" }
        return shown.joined(separator: ", ") + (ranges.count > 6 ? ", ..." : "")
    }
}

extension SaturationReason {
    /// For people.
    package var words: String {
        switch self {
        case .loopLag: "media loops came late"
        case .lateTimers: "media timers ran late"
        case .sendQueueDelay: "datagrams waited to be sent"
        case .receiveBufferDrops: "its sockets dropped datagrams"
        case .sendFailures: "the kernel refused datagrams"
        case .cpuThread: "a thread had no processor left"
        case .other: "another reason"
        }
    }
}
