/// The times of the run, by percentiles.
struct PercentileTable {
    let results: LoadResults

    var html: String {
        let histograms: [(String, HistogramSnapshot)] = [
            ("Join", results.histograms.join), ("First sound", results.histograms.firstAudio),
            ("First picture", results.histograms.firstVideo), ("Latency", results.histograms.latency),
            ("Round trip", results.histograms.roundTripTime),
            ("Remote call", results.histograms.rpc ?? HistogramSnapshot()),
        ]
        let rows = histograms.filter { !$0.1.isEmpty }.map(row)
        guard !rows.isEmpty else { return "" }
        let head = """
            <div class="card scroll"><table class="percentiles"><thead><tr><th></th><th>Shape</th><th>Median</th><th>p90</th>\
            <th>p95</th><th>p99</th><th>p99.9</th><th>Max</th><th>Count</th></tr></thead><tbody>

            """
        return ReportPage.section("Times", "times", head + rows.joined() + "</tbody></table></div>\n")
    }

    private func row(_ name: String, _ histogram: HistogramSnapshot) -> String {
        let cells = [50, 90, 95, 99, 99.9, 100].map { percentile in
            "<td>\(histogram.percentile(percentile).map { MetricUnit.milliseconds.text($0) } ?? "-")</td>"
        }
        return "<tr><th>\(name)</th><td>\(Distribution(histogram: histogram).html)</td>\(cells.joined())"
            + "<td>\(Decimals.grouped(Double(histogram.count)))</td></tr>\n"
    }
}
