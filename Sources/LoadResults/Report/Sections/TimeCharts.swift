/// The run over time, as participants saw it.
struct TimeCharts {
    let results: LoadResults
    let axis: TimeAxis

    var html: String {
        let charts = [participants, latency, loss, bitrate, freezes, roundTrip].map { $0.html(axis) }.joined()
        guard !charts.isEmpty else { return "" }
        return ReportPage.section("Over time", "time", "\(Self.shadeNote(axis))<div class=\"charts\">\(charts)</div>")
    }

    static func shadeNote(_ axis: TimeAxis) -> String {
        guard axis.bins.contains(where: \.isSaturated) else { return "" }
        return "<p class=\"note\"><i class=\"satkey\"></i>In the shaded seconds the tester was the bottleneck.</p>\n"
    }

    private func series(
        _ name: String, _ color: String, _ style: TimeChart.Series.Style = .line, _ value: (TimeBin) -> Double?
    ) -> TimeChart.Series {
        TimeChart.Series(name: name, color: color, style: style, values: axis.bins.map(value))
    }

    private var participants: TimeChart {
        TimeChart(
            title: "Participants", explanation: "In a room, on their way in, and joins that failed.", unit: .count,
            least: 4,
            series: [
                series("in a room", "c1", .area) { $0.sampled(Double($0.participants.joined)) },
                series("joining", "c2") { $0.sampled(Double($0.participants.joining)) },
                series("failed or lost", "bad", .bars) {
                    let count = $0.participants.failures.saturatingAdd($0.participants.losses)
                    return count > 0 ? Double(count) : nil
                },
            ])
    }

    private var latency: TimeChart {
        percentiles("Latency", "From capture to reception, by the time that the media carries.") { $0.latency }
    }

    private var roundTrip: TimeChart {
        percentiles("Round trips", "Between participants and the server.") { $0.roundTripTime }
    }

    private func percentiles(
        _ title: String, _ explanation: String, _ histogram: (TimeBin) -> HistogramSnapshot
    ) -> TimeChart {
        TimeChart(
            title: title, explanation: explanation, unit: .milliseconds, least: 4,
            series: [
                series("median", "c1", .area) { histogram($0).percentile(50) },
                series("p95", "c2") { histogram($0).percentile(95) },
                series("p99", "c3", .dashed) { histogram($0).percentile(99) },
            ])
    }

    private var loss: TimeChart {
        TimeChart(
            title: "Packets lost", explanation: "Of what was sent to subscribers; repaired packets are not lost.",
            unit: .ratio, least: 0.01,
            series: [
                series("video", "c1", .area) { $0.video.inbound.lossRatio },
                series("audio", "c2") { $0.audio.inbound.lossRatio },
            ])
    }

    private var bitrate: TimeChart {
        TimeChart(
            title: "Bitrate", explanation: "All publishers and all subscribers together.", unit: .bitsPerSecond,
            least: 10_000,
            series: [
                series("received", "c1", .area) { bin in
                    bin.rate(bin.audio.inbound.bytesReceived.saturatingAdd(bin.video.inbound.bytesReceived)).map {
                        $0 * 8
                    }
                },
                series("sent", "c2") { bin in
                    bin.rate(bin.audio.outbound.bytesSent.saturatingAdd(bin.video.outbound.bytesSent)).map { $0 * 8 }
                },
            ])
    }

    private var freezes: TimeChart {
        TimeChart(
            title: "Freezes and repairs", explanation: "Freezes, and what subscribers asked for, a second.",
            unit: .perSecond, least: 4,
            series: [
                series("retransmissions (NACK)", "c2") { $0.rate($0.video.inbound.nackCount) },
                series("key frames (PLI)", "c3", .dashed) { $0.rate($0.video.inbound.pliCount) },
                series("freezes", "bad", .bars) { $0.rate($0.video.inbound.freezeCount) },
            ])
    }
}
