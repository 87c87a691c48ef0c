/// What one subscriber received: its bitrate as a small chart, and under it the layer as a strip.
struct Sparkline {
    let axis: TimeAxis
    /// Bits a second at the top: the same for all, so that they can be compared.
    let top: Double

    func html(_ participant: ParticipantResult, duration: Double) -> String {
        guard let timeline = participant.timeline else { return "" }
        let bitrate = participant.videoBitrate(until: duration).map { MetricUnit.bitsPerSecond.text($0) } ?? "-"
        let layers = layerShares(timeline)
        return """
            <div class="spark"><div class="sname"><b>\(Markup.escape(participant.identity))</b><span>\(bitrate)</span></div>\
            <svg class="rate" viewBox="0 0 1000 1000" preserveAspectRatio="none" role="img" \
            aria-label="bitrate of \(Markup.escape(participant.identity))">\(TimeChart.shade(axis))\(area(timeline))</svg>\
            <svg class="layers" viewBox="0 0 1000 1" preserveAspectRatio="none" aria-hidden="true">\(strip(timeline))</svg>\
            <div class="slayers">\(layers)</div></div>

            """
    }

    private func area(_ timeline: ParticipantTimeline) -> String {
        var line = ""
        var (first, last) = (0.0, 0.0)
        for (index, bytes) in timeline.bytesReceived.prefix(axis.length).enumerated() {
            let bits = Double(bytes) * 8 / Double(timeline.intervalSeconds)
            let x = axis.x(timeline.second(index) + Double(timeline.intervalSeconds) / 2)
            let y = (1 - min(max(bits / top, 0), 1)) * 1_000
            if index == 0 { first = x }
            line += "\(index == 0 ? "M" : "L")\(Coordinate.text(x)) \(Coordinate.text(y))"
            last = x
        }
        guard !line.isEmpty else { return "" }
        let closed = "\(line)L\(Coordinate.text(last)) 1000L\(Coordinate.text(first)) 1000Z"
        return "<path class=\"fill c1\" d=\"\(closed)\"/><path class=\"line c1\" d=\"\(line)\"/>"
    }

    /// Neighbours of one layer are one rectangle.
    private func strip(_ timeline: ParticipantTimeline) -> String {
        let layers = timeline.spatialLayer.prefix(axis.length)
        var drawing = ""
        var start = 0
        for index in layers.indices where index + 1 == layers.endIndex || layers[index + 1] != layers[index] {
            let (left, right) = (axis.x(timeline.second(start)), axis.x(timeline.second(index + 1)))
            if layers[index] >= 0 {
                drawing +=
                    "<rect class=\"l\(min(layers[index], 3))\" x=\"\(Coordinate.text(left))\" y=\"0\" "
                    + "width=\"\(Coordinate.text(right - left))\" height=\"1\"/>"
            }
            start = index + 1
        }
        return drawing
    }

    private func layerShares(_ timeline: ParticipantTimeline) -> String {
        let layers = timeline.spatialLayer.filter { $0 >= 0 }
        guard !layers.isEmpty else { return "" }
        let changes = zip(layers, layers.dropFirst()).count { $0 != $1 }
        return "layer \(layers.min() ?? 0)" + (layers.min() == layers.max() ? "" : " to \(layers.max() ?? 0)")
            + (changes > 0 ? ", \(changes) \(changes == 1 ? "change" : "changes")" : "")
    }
}

extension ParticipantTimeline {
    func second(_ index: Int) -> Double { Double(startSecond) + Double(index) * Double(intervalSeconds) }

    /// The highest bitrate of an interval.
    var peakBitrate: Double { Double(bytesReceived.max() ?? 0) * 8 / Double(intervalSeconds) }
}
