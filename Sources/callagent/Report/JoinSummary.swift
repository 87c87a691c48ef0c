import CallModel

/// The text that `join` prints at its end.
struct JoinSummary {
    var summary = SummaryText()

    func text(_ report: RunReport) -> String {
        var lines = [
            "\((report.identity ?? "").printable(limit: 64)) was there for \(report.durationSeconds) s, "
                + "\(report.srtpProfile ?? "no SRTP")\(report.interrupted.map { ", ended by \($0)" } ?? "")"
        ]
        if report.met?.isEmpty == true { lines.append("Nobody else was there.") }
        lines += summary.connection(report)
        lines.append("")
        lines += summary.tracks(report)
        lines += summary.lateness(report.lateness)
        lines.append("")
        return (lines + verdict(report)).joined(separator: "\n")
    }

    /// What was lost, or that nothing was; where nobody came there was nothing to lose.
    private func verdict(_ report: RunReport) -> [String] {
        guard report.ok, !report.tracks.contains(where: { $0.from != report.identity }) else {
            return summary.verdict(report)
        }
        guard report.met?.isEmpty == true else { return ["Nobody sent anything that we were to hear or see."] }
        return ["Nobody else was there: nothing was to be heard or seen."]
    }
}
