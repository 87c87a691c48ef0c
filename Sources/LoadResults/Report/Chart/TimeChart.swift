/// A chart over the run's time. The drawing is stretched to its place, the words stand beside it as HTML, so that they are
/// as large on a phone as on a wide screen.
struct TimeChart {
    struct Series {
        enum Style { case line, dashed, area, bars }

        var name: String
        /// Of the style sheet: `c1` to `c5`, `bad`.
        var color: String
        var style = Style.line
        /// One for each bin; nil is a gap.
        var values: [Double?]
    }

    var title: String
    var explanation: String
    var unit: MetricUnit
    /// What the top of the scale is at least.
    var least: Double
    var series: [Series]

    func html(_ axis: TimeAxis) -> String {
        let shown = series.filter { $0.values.contains { $0 != nil } }
        guard !shown.isEmpty else { return "" }
        let scale = ValueScale(shown.flatMap { $0.values.compactMap(\.self) }, least: least)
        return """
            <figure class="card chart"><figcaption><h3>\(title)</h3><p>\(explanation)</p>\(legend(shown))</figcaption>
            <div class="plot"><div class="y" aria-hidden="true">\(yLabels(scale))</div>
            <div class="area"><svg viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" aria-label="\(summary(shown))">\
            \(grid(axis, scale))\(Self.shade(axis))\(shown.map { $0.path(axis, scale) }.joined())\(hits(axis, shown))</svg></div>
            <div class="x" aria-hidden="true">\(Self.xLabels(axis))</div></div></figure>

            """
    }

    /// The seconds in which the tester was the bottleneck.
    static func shade(_ axis: TimeAxis) -> String {
        var spans: [(from: Int, to: Int)] = []
        for bin in axis.bins where bin.isSaturated {
            if let last = spans.last, last.to == bin.start {
                spans[spans.count - 1].to = bin.start + axis.step
            } else {
                spans.append((bin.start, bin.start + axis.step))
            }
        }
        return spans.map { span in
            let (left, right) = (axis.x(Double(span.from)), axis.x(Double(span.to)))
            return "<rect class=\"sat\" x=\"\(Coordinate.text(left))\" y=\"0\" "
                + "width=\"\(Coordinate.text(right - left))\" height=\"1000\"/>"
        }.joined()
    }

    static func xLabels(_ axis: TimeAxis) -> String {
        axis.ticks.map { tick in
            let x = axis.x(Double(tick.second)) / 10
            return "<span\(x > 96 ? " class=\"end\"" : "") style=\"left:\(Coordinate.text(x))%\">\(tick.label)</span>"
        }.joined()
    }

    private func yLabels(_ scale: ValueScale) -> String {
        scale.ticks.map { tick in
            "<span style=\"top:\(Coordinate.text(scale.y(tick) / 10))%\">\(unit.tick(tick, top: scale.top))</span>"
        }.joined()
    }

    private func grid(_ axis: TimeAxis, _ scale: ValueScale) -> String {
        scale.ticks.map { tick in
            let y = Coordinate.text(scale.y(tick))
            return "<path class=\"\(tick == 0 ? "base" : "grid")\" d=\"M0 \(y)H1000\"/>"
        }.joined()
    }

    private func legend(_ shown: [Series]) -> String {
        let items = shown.map { "<li class=\"\($0.color) \($0.style)\"><i></i>\($0.name)</li>" }
        return "<ul class=\"legend\">\(items.joined())</ul>"
    }

    /// What a reader who does not see the chart is told.
    private func summary(_ shown: [Series]) -> String {
        let peaks = shown.map { "\($0.name) up to \(unit.text($0.values.compactMap(\.self).max() ?? 0))" }
        return "\(title): \(peaks.joined(separator: ", "))"
    }

    /// Columns that say their values under a pointer.
    private func hits(_ axis: TimeAxis, _ shown: [Series]) -> String {
        let width = 1_000 / Double(axis.bins.count)
        return axis.bins.enumerated().map { index, bin in
            let values = shown.compactMap { series in series.values[index].map { "\(series.name) \(unit.text($0))" } }
            let note = bin.isSaturated ? ["the tester was the bottleneck"] : []
            let text = ([TimeAxis.label(bin.start)] + values + note).joined(separator: "&#10;")
            return "<rect class=\"hit\" x=\"\(Coordinate.text(Double(index) * width))\" y=\"0\" "
                + "width=\"\(Coordinate.text(width))\" height=\"1000\"><title>\(text)</title></rect>"
        }.joined()
    }
}

extension TimeChart.Series {
    fileprivate func path(_ axis: TimeAxis, _ scale: ValueScale) -> String {
        switch style {
        case .line, .dashed: "<path class=\"line \(color) \(style)\" d=\"\(strokes(axis, scale, closes: false))\"/>"
        case .area:
            "<path class=\"fill \(color)\" d=\"\(strokes(axis, scale, closes: true))\"/>"
                + "<path class=\"line \(color)\" d=\"\(strokes(axis, scale, closes: false))\"/>"
        case .bars: "<path class=\"bar \(color)\" d=\"\(bars(axis, scale))\"/>"
        }
    }

    /// Lines through the middles of the bins; gaps stay open.
    private func strokes(_ axis: TimeAxis, _ scale: ValueScale, closes: Bool) -> String {
        var path = ""
        var start: Double?
        var last = 0.0
        func close() {
            if closes, let start {
                path += "L\(Coordinate.text(last)) 1000L\(Coordinate.text(start)) 1000Z"
            } else if !closes, start == last {
                // A single point: a line as long as its cap.
                path += "h0.1"
            }
            start = nil
        }
        for (value, bin) in zip(values, axis.bins) {
            guard let value else {
                close()
                continue
            }
            let x = axis.x(Double(bin.start) + Double(axis.step) / 2)
            path += "\(start == nil ? "M" : "L")\(Coordinate.text(x)) \(Coordinate.text(scale.y(value)))"
            start = start ?? x
            last = x
        }
        close()
        return path
    }

    private func bars(_ axis: TimeAxis, _ scale: ValueScale) -> String {
        let width = 1_000 / Double(axis.bins.count)
        return zip(values, axis.bins).map { value, bin in
            guard let value, value > 0 else { return "" }
            let x = axis.x(Double(bin.start))
            return
                "M\(Coordinate.text(x)) 1000V\(Coordinate.text(scale.y(value)))h\(Coordinate.text(width * 0.9))V1000Z"
        }.joined()
    }
}

extension MetricUnit {
    /// A label of a scale: all of one scale in the same unit.
    func tick(_ value: Double, top: Double) -> String {
        guard value != 0 else { return "0" }
        switch self {
        case .ratio: return Self.plain(value * 100) + " %"
        case .cores: return Self.plain(value)
        case .count: return Decimals.scaled(value, 1_000, ["", "k", "M", "G"]).replacingZeros()
        case .milliseconds: return top >= 5_000 ? Self.plain(value / 1_000) + " s" : Self.plain(value) + " ms"
        default: return text(value).replacingZeros()
        }
    }

    private static func plain(_ value: Double) -> String {
        (value >= 100 ? Decimals.grouped(value) : Decimals.text(value, 3)).replacingZeros()
    }
}

extension String {
    /// Without zeros behind the point: `2.50 Mbit/s` becomes `2.5 Mbit/s`.
    fileprivate func replacingZeros() -> String {
        let parts = split(separator: " ", maxSplits: 1)
        guard let first = parts.first, first.contains(".") else { return trimmingSpace() }
        var number = first
        while number.last == "0" { number.removeLast() }
        if number.last == "." { number.removeLast() }
        return ([number] + parts.dropFirst()).joined(separator: " ").trimmingSpace()
    }

    private func trimmingSpace() -> String { String(trimming()) }
}
