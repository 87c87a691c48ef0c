/// What a reader has to know first: whether it holds, and why not.
struct ReportHeader {
    let results: LoadResults

    var html: String {
        let run = results.run
        let facts = [
            "\(UTC.text(milliseconds: run.timestamp).replacingT())&nbsp;UTC", duration,
            run.target.map(Markup.escape), "\(Decimals.grouped(Double(results.participants.count))) participants",
            run.shard.map { "shard \($0.index) of \($0.count)" }, results.shards.map { "\($0.count) shards" },
        ]
        return """
            <header><div class="head"><p class="kicker">callagent load</p><h1>\(Markup.escape(run.scenario ?? "Load test"))</h1>
            <p class="facts">\(facts.compactMap(\.self).joined(separator: " <span>·</span> "))</p></div>
            \(banner)
            <div class="tiles">\(tiles.joined())</div>\(thresholds)</header>
            """
    }

    private var duration: String {
        let seconds = Int(min(max(results.durationSeconds, 0), Double(LoadResults.longestRun)))
        return seconds < 120 ? "\(seconds) s" : "\(TimeAxis.label(seconds)) min"
    }

    // The tester's own fault comes first: what the rest says is not to be trusted then.
    private var banner: String {
        let verdicts = results.verdicts
        let (style, title): (String, String) =
            if verdicts.saturation != nil {
                ("warn", "The tester was the bottleneck")
            } else if results.state != .complete {
                ("warn", results.state == .partial ? "Partial results" : "Interrupted")
            } else if verdicts.ok {
                ("good", "Passed")
            } else {
                ("fail", "Failed")
            }
        let sentences = (verdicts.failures.prefix(12) + findings).map { Markup.escape($0.capitalizedSentence) }
        let list = sentences.isEmpty ? "<p>Everything that was sent has arrived.</p>" : ""
        let items = sentences.isEmpty ? "" : "<ul>\(sentences.map { "<li>\($0)</li>" }.joined())</ul>"
        return "<div class=\"banner \(style)\" role=\"status\"><strong>\(title)</strong>\(list)\(items)</div>"
    }

    private var findings: [String] {
        let outliers = results.outliers
        let shown = outliers.prefix(3).map { "participant \($0.identity) \($0.finding)" }
        let rest = outliers.count - shown.count
        return shown + (rest > 0 ? ["\(rest) more participants fared much worse than the median"] : [])
    }

    private var tiles: [String] {
        [
            tile("participants.peak", "In a room at once", note("participants.failures", "failed to join")),
            tile("join.p95", "Join, p95", note("join.p50", "median")),
            tile("firstVideo.p95", "First picture, p95", note("firstVideo.p50", "median")),
            tile("latency.p95", "Latency, p95", note("latency.p50", "median")),
            tile("video.lossRatio", "Video lost", note("audio.lossRatio", "of audio")),
            tile("video.freezeRatio", "Time frozen", note("video.freezeCount", "freezes")),
        ]
    }

    private func tile(_ name: String, _ title: String, _ note: String) -> String {
        guard let metric = Metric.named(name), let value = metric.value(results) else { return "" }
        return "<div class=\"tile\"><span>\(title)</span><b>\(metric.unit.text(value))</b><small>\(note)</small></div>"
    }

    private func note(_ name: String, _ words: String) -> String {
        guard let metric = Metric.named(name), let value = metric.value(results) else { return "" }
        return words == "median" ? "median \(metric.unit.text(value))" : "\(metric.unit.text(value)) \(words)"
    }

    private var thresholds: String {
        guard !results.verdicts.thresholds.isEmpty else { return "" }
        let items = results.verdicts.thresholds.map { verdict in
            "<li class=\"\(verdict.ok ? "good" : "fail")\" title=\"\(Markup.escape(verdict.message))\">"
                + "<i>\(verdict.ok ? "✓" : "✗")</i><code>\(Markup.escape(verdict.expression))</code>"
                + "<span>\(measured(verdict))</span></li>"
        }
        return "<ul class=\"thresholds\" aria-label=\"thresholds\">\(items.joined())</ul>"
    }

    private func measured(_ verdict: ThresholdVerdict) -> String {
        guard let value = verdict.measured else { return "not measured" }
        guard let threshold = try? Threshold(verdict.expression) else { return Decimals.short(value) }
        return threshold.metric.unit.text(value)
    }
}

extension String {
    /// With a capital at its beginning, where that is no name of a metric.
    fileprivate var capitalizedSentence: String {
        prefix { $0 != " " }.contains(".") ? self : prefix(1).uppercased() + dropFirst()
    }

    fileprivate func replacingT() -> String { split(separator: "T").joined(separator: " ") }
}
