/// A run beside its baseline.
package struct Comparison: Codable, Sendable, Equatable {
    package enum Verdict: String, Codable, Sendable { case better, same, worse }

    /// One metric that both runs have measured.
    package struct Row: Codable, Sendable, Equatable {
        package var metric: String
        package var unit: MetricUnit
        package var baseline: Double
        package var measured: Double
        /// By how much it may have changed, in its unit.
        package var tolerance: Double
        /// Nil of metrics that are neither better nor worse.
        package var verdict: Verdict?

        /// The change as a share of the baseline; nil where that is 0.
        package var change: Double? { baseline == 0 ? nil : (measured - baseline) / abs(baseline) }
    }

    /// Worse where one metric is; better where none is worse and one is better.
    package var verdict: Verdict
    package var rows: [Row]
    /// Why the comparison says little: a tester that was the bottleneck, a run that is not whole, another machine.
    package var warnings: [String]

    /// - Parameter tolerances: by metric; the standard ones for all others.
    package init(baseline: LoadResults, measured: LoadResults, tolerances: [String: Tolerance] = [:]) {
        rows = Metric.all.compactMap { metric in
            guard let before = metric.value(baseline), let after = metric.value(measured) else { return nil }
            let tolerance = tolerances[metric.name] ?? .standard(of: metric)
            return Self.row(metric, before, after, tolerance.allowed(before))
        }
        let verdicts = rows.compactMap(\.verdict)
        verdict = verdicts.contains(.worse) ? .worse : verdicts.contains(.better) ? .better : .same
        warnings = Self.warnings("the baseline", baseline) + Self.warnings("the run", measured)
        let (old, new) = (baseline.run.machine, measured.run.machine)
        if old.cpuModel != new.cpuModel || old.cpuCount != new.cpuCount {
            warnings.append("the machines differ: \(old.cpuCount) x \(old.cpuModel), \(new.cpuCount) x \(new.cpuModel)")
        }
    }

    private static func row(_ metric: Metric, _ before: Double, _ after: Double, _ allowed: Double) -> Row {
        var verdict: Verdict?
        if let better = metric.better {
            let gain = better == .lower ? before - after : after - before
            verdict = abs(gain) <= allowed ? .same : gain > 0 ? .better : .worse
        }
        return Row(
            metric: metric.name, unit: metric.unit, baseline: before, measured: after, tolerance: allowed,
            verdict: verdict)
    }

    private static func warnings(_ name: String, _ results: LoadResults) -> [String] {
        var warnings: [String] = []
        if results.state != .complete { warnings.append("\(name) is \(results.state.rawValue)") }
        if let saturation = results.verdicts.saturation {
            warnings.append("\(name): \(saturation.sentence(of: results.seconds.count))")
        }
        return warnings
    }
}
