/// Participants one by one, the worst first.
struct ParticipantSections {
    private static let mostRows = 40, mostSparklines = 18, mostListed = 500

    let results: LoadResults
    let axis: TimeAxis
    private let worstFirst: [ParticipantResult]

    init(results: LoadResults, axis: TimeAxis) {
        self.results = results
        self.axis = axis
        let rank = Dictionary(
            results.outliers.enumerated().map { ([$1.room, $1.identity], $0) }, uniquingKeysWith: { first, _ in first })
        worstFirst = results.participants.sorted { left, right in
            let ranks = (rank[[left.room, left.identity]] ?? .max, rank[[right.room, right.identity]] ?? .max)
            if ranks.0 != ranks.1 { return ranks.0 < ranks.1 }
            let losses = (left.lossRatio ?? 0, right.lossRatio ?? 0)
            return losses.0 == losses.1 ? left.identity < right.identity : losses.0 > losses.1
        }
    }

    var html: String { heatMap + bitrates + table }

    private var heatMap: String {
        let receivers = worstFirst.filter { $0.timeline.map { !$0.packetsExpected.isEmpty } ?? false }
        guard !receivers.isEmpty else { return "" }
        let map = HeatMap(axis)
        let rows = receivers.prefix(Self.mostRows).map { map.row($0, duration: results.durationSeconds) }.joined()
        let rest = receivers.count - Self.mostRows
        let more = rest > 0 ? "<p class=\"note\">The worst \(Self.mostRows) of \(receivers.count).</p>" : ""
        let content =
            "<div class=\"card heatmap\"><p class=\"sub\">Packets lost and pictures frozen, a row for each participant, the "
            + "worst first.</p>\(HeatMap.legend)\n\(rows)<div class=\"hrow\"><span></span><div class=\"x\">"
            + "\(TimeChart.xLabels(axis))</div><span></span></div>\(more)</div>\n"
        return ReportPage.section("Participants over time", "heat", content)
    }

    private var bitrates: String {
        let receivers = worstFirst.filter { $0.timeline.map { !$0.bytesReceived.isEmpty } ?? false }
        guard !receivers.isEmpty else { return "" }
        let shown = receivers.prefix(Self.mostSparklines)
        let top = max(shown.compactMap { $0.timeline?.peakBitrate }.max() ?? 1, 1)
        let sparkline = Sparkline(axis: axis, top: top)
        let cards = shown.map { sparkline.html($0, duration: results.durationSeconds) }.joined()
        let more = receivers.count > shown.count ? " The worst \(shown.count) of \(receivers.count)." : ""
        let content = """
            <div class="card"><p class="sub">Received bitrate, all on one scale up to \(MetricUnit.bitsPerSecond.text(top)), \
            and below it the spatial layer.\(more)</p><ul class="legend heat"><li><i class="l0"></i>layer 0</li>\
            <li><i class="l1"></i>1</li><li><i class="l2"></i>2</li></ul><div class="sparks">\(cards)</div></div>

            """
        return ReportPage.section("Bitrate and layer by subscriber", "bitrate", content)
    }

    private var table: String {
        guard !worstFirst.isEmpty else { return "" }
        let head = """
            <div class="scroll"><table><thead><tr><th>Participant</th><th>Room</th><th>Join</th><th>First sound</th>\
            <th>First picture</th><th>RTT</th><th>Lost</th><th>Frozen</th><th>Video</th><th>End</th></tr></thead><tbody>

            """
        let rows = worstFirst.prefix(Self.mostListed).map(row).joined()
        let more =
            worstFirst.count > Self.mostListed
            ? "<p class=\"note\">The worst \(Self.mostListed) of \(worstFirst.count); all are in the JSON file.</p>"
            : ""
        let content =
            "<details class=\"card\"><summary>All \(worstFirst.count) participants in numbers</summary>\(head)\(rows)"
            + "</tbody></table></div>\(more)</details>\n"
        return ReportPage.section("Participants", "participants", content)
    }

    private func row(_ participant: ParticipantResult) -> String {
        func time(_ value: Double?) -> String { value.map { MetricUnit.milliseconds.text($0) } ?? "-" }
        let bitrate = participant.videoBitrate(until: results.durationSeconds)
        let end =
            participant.failure.map { "\(participant.endReason.rawValue): \($0)" } ?? participant.endReason.rawValue
        let cells = [
            time(participant.joinMs), time(participant.firstAudioMs), time(participant.firstVideoMs),
            time(participant.roundTripTimeMs), participant.lossRatio.map { MetricUnit.ratio.text($0) } ?? "-",
            participant.video.inbound.freezeRatio.map { MetricUnit.ratio.text($0) } ?? "-",
            bitrate.map { MetricUnit.bitsPerSecond.text($0) } ?? "-",
        ]
        return "<tr><th>\(Markup.escape(participant.identity))</th><td>\(Markup.escape(participant.room))</td>"
            + cells.map { "<td>\($0)</td>" }.joined() + "<td>\(Markup.escape(end))</td></tr>\n"
    }
}
