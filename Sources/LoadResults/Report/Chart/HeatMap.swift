/// How participants fared over time: a row each, coloured by what was lost or stood still.
struct HeatMap {
    /// Columns of the map; a longer run has several seconds in each.
    static let mostColumns = 180

    let axis: TimeAxis
    private let step: Int
    private let columns: Int

    init(_ axis: TimeAxis) {
        self.axis = axis
        step = max(1, (axis.length + Self.mostColumns - 1) / Self.mostColumns)
        columns = (axis.length + step - 1) / step
    }

    /// One row: the name, cells, and what it all came to.
    func row(_ participant: ParticipantResult, duration: Double) -> String {
        let loss = participant.lossRatio.map { MetricUnit.ratio.text($0) } ?? "-"
        return "<div class=\"hrow\"><span class=\"hname\" title=\"\(Markup.escape(participant.room))\">"
            + "\(Markup.escape(participant.identity))</span>\(cells(participant))<span class=\"hval\">\(loss)</span></div>\n"
    }

    /// Neighbours of one colour are one rectangle.
    private func cells(_ participant: ParticipantResult) -> String {
        let levels = levels(participant.timeline)
        var drawing = ""
        var start = 0
        for index in levels.indices where index + 1 == levels.count || levels[index + 1] != levels[index] {
            if let level = levels[index] {
                drawing +=
                    "<rect class=\"h\(level)\" x=\"\(start)\" y=\"0\" width=\"\(index + 1 - start)\" height=\"1\"/>"
            }
            start = index + 1
        }
        return "<svg viewBox=\"0 0 \(columns) 1\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\(drawing)</svg>"
    }

    /// The worst of each column, 0 to 5; nil while it was not there.
    private func levels(_ timeline: ParticipantTimeline?) -> [Int?] {
        var levels = [Int?](repeating: nil, count: columns)
        guard let timeline else { return levels }
        let count = min(max(timeline.packetsExpected.count, timeline.frozenMs.count), axis.length)
        for index in 0..<count {
            let level = timeline.level(index)
            let (second, overflows) = index.multipliedReportingOverflow(by: timeline.intervalSeconds)
            guard !overflows, second < axis.length else { break }
            let from = timeline.startSecond + second
            for column in from / step...(from + timeline.intervalSeconds - 1) / step where column < columns {
                levels[column] = max(levels[column] ?? 0, level)
            }
        }
        return levels
    }

    static let legend = """
        <ul class="legend heat"><li><i class="h0"></i>nothing lost</li><li><i class="h1"></i>up to 0.1 %</li>\
        <li><i class="h2"></i>1 %</li><li><i class="h3"></i>3 %</li><li><i class="h4"></i>10 %</li>\
        <li><i class="h5"></i>more</li></ul>
        """
}

extension ParticipantTimeline {
    /// How bad an interval was: packets lost, or pictures that stood still, whatever is worse.
    fileprivate func level(_ index: Int) -> Int {
        var level = 0
        if packetsExpected.indices.contains(index), packetsLost.indices.contains(index), packetsExpected[index] > 0 {
            level = Self.level(
                Double(packetsLost[index]) / Double(packetsExpected[index]), [0, 0.001, 0.01, 0.03, 0.1])
        }
        guard frozenMs.indices.contains(index) else { return level }
        let share = Double(frozenMs[index]) / (Double(intervalSeconds) * 1_000)
        return max(level, Self.level(share, [0, 0.02, 0.1, 0.3, 0.6]))
    }

    private static func level(_ value: Double, _ limits: [Double]) -> Int { limits.count { value > $0 } }
}
