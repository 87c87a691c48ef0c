/// One `--assert`: a metric, an operator, a value with its unit. `video.freezeRatio<1%`, `join.p95 <= 200ms`.
package struct Threshold: Sendable {
    package enum Operator: String, Sendable, CaseIterable {
        // Longer ones first, as they are looked for in this order.
        case atMost = "<=", atLeast = ">=", equal = "==", unequal = "!=", below = "<", above = ">"

        func holds(_ left: Double, _ right: Double) -> Bool {
            switch self {
            case .atMost: left <= right
            case .atLeast: left >= right
            case .equal: left == right
            case .unequal: left != right
            case .below: left < right
            case .above: left > right
            }
        }
    }

    /// As it was given.
    package let expression: String
    package let metric: Metric
    package let comparison: Operator
    /// In the metric's unit.
    package let limit: Double

    /// Reads one.
    package init(_ expression: String) throws(ThresholdError) {
        let start = expression.firstIndex { "<>=!".contains($0) }
        guard let start,
            let comparison = Operator.allCases.first(where: { expression[start...].hasPrefix($0.rawValue) })
        else {
            throw ThresholdError(
                expression, "an operator is missing: use <, <=, >, >=, == or !=, as in 'video.freezeRatio<1%'")
        }
        let name = expression[..<start].trimming()
        guard let metric = Metric.named(name) else {
            throw ThresholdError(
                expression, "there is no metric \"\(name)\"; did you mean \(Metric.nearest(to: name) ?? "join.p95")?")
        }
        let value = expression[start...].dropFirst(comparison.rawValue.count)
        guard let limit = metric.unit.value(value) else {
            throw ThresholdError(
                expression,
                "\"\(value.trimming())\" is no value of \(metric.name): a number with its unit, "
                    + metric.unit.possible)
        }
        self.expression = expression
        self.metric = metric
        self.comparison = comparison
        self.limit = limit
    }

    /// What became of it. What was not measured does not hold.
    package func verdict(_ results: LoadResults) -> ThresholdVerdict {
        guard let measured = metric.value(results) else {
            return ThresholdVerdict(
                expression: expression, ok: false, measured: nil,
                message: "\(metric.name) was not measured in this run, so that \"\(expression)\" can't hold")
        }
        let holds = comparison.holds(measured, limit)
        let wanted = "\(comparison.rawValue) \(metric.unit.text(limit))"
        return ThresholdVerdict(
            expression: expression, ok: holds, measured: measured,
            message: "\(metric.name) is \(metric.unit.text(measured)), \(holds ? "as wanted" : "wanted"): \(wanted)")
    }
}

/// Why an `--assert` can't be read, and what to write.
package struct ThresholdError: Error, Equatable, CustomStringConvertible {
    package let description: String

    init(_ expression: String, _ problem: String) { description = "--assert '\(expression)': \(problem)" }
}
