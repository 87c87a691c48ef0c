/// By how much a metric may change without having become better or worse: the greater of both.
package struct Tolerance: Sendable, Equatable {
    /// A share of the baseline.
    package var relative: Double
    /// In the metric's own unit.
    package var absolute: Double

    package init(relative: Double = 0, absolute: Double = 0) {
        self.relative = relative
        self.absolute = absolute
    }

    func allowed(_ baseline: Double) -> Double { max(absolute, relative * abs(baseline)) }

    /// What is usual between two runs of the same software on one machine.
    package static func standard(of metric: Metric) -> Tolerance {
        switch metric.unit {
        case .milliseconds:
            metric.name.hasSuffix(".max") || metric.name.hasSuffix(".p99.9")
                ? Tolerance(relative: 0.5, absolute: 20) : Tolerance(relative: 0.15, absolute: 2)
        case .ratio: Tolerance(relative: 0.1, absolute: 0.001)
        case .bytes, .cores, .bitsPerSecond: Tolerance(relative: 0.1)
        case .seconds, .perSecond: Tolerance(relative: 0.1, absolute: 0.1)
        case .count: Tolerance(relative: 0.05)
        }
    }

    /// `join.p95=20%` (of the baseline) or `join.p95=5ms`.
    package static func parse(_ text: String) throws(ToleranceError) -> (metric: String, tolerance: Tolerance) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else {
            throw ToleranceError(description: "--tolerance '\(text)': use METRIC=VALUE, as in 'join.p95=20%'")
        }
        let name = parts[0].trimming()
        guard let metric = Metric.named(name) else {
            throw ToleranceError(
                description: "--tolerance '\(text)': there is no metric \"\(name)\"; did you mean "
                    + "\(Metric.nearest(to: name) ?? "join.p95")?")
        }
        let value = parts[1].trimming()
        if value.last == "%", let share = MetricUnit.ratio.value(value), share >= 0 {
            return (metric.name, Tolerance(relative: share))
        }
        guard let value = metric.unit.value(value), value >= 0 else {
            throw ToleranceError(
                description: "--tolerance '\(text)': use percent of the baseline, or a value: \(metric.unit.possible)")
        }
        return (metric.name, Tolerance(absolute: value))
    }
}

/// Why a `--tolerance` can't be read, and what to write.
package struct ToleranceError: Error, Equatable, CustomStringConvertible {
    package let description: String
}
