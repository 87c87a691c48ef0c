import CallModel
import Foundation
import MediaCore

/// The report as a person likes to read it. Colour only on a terminal.
struct SummaryText {
    private let isColoured: Bool

    init() {
        self.init(isColoured: isatty(STDOUT_FILENO) == 1 && ProcessInfo.processInfo.environment["NO_COLOR"] == nil)
    }

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// The whole text of a call.
    func call(_ report: RunReport) -> String {
        let speakers = report.participants.map(\.identity)
        var lines = [
            "\(speakers.count) participants through \(report.provider), \(number(report.durationSeconds, 0)) s, \(report.srtpProfile ?? "no SRTP"), "
                + "connected after \(number(report.connectMs, 0)) ms"
        ]
        lines += connection(report)
        lines.append("")
        lines += tracks(report)
        lines.append("")
        let whole = report.tracks.filter(\.ok)
        lines.append(
            "audio  \(whole.count { $0.kind == "audio" }) of \(report.tracks.count { $0.kind == "audio" }) directed pairs whole"
        )
        lines.append(
            "video  \(whole.count { $0.kind == "video" }) of \(report.tracks.count { $0.kind == "video" }) directed pairs whole"
        )
        if let accuracy = report.activeSpeaker.accuracy {
            lines.append(
                "active speaker right for \(number(accuracy * 100, 1)) % of the time, \(report.activeSpeaker.switches) changes"
            )
        }
        if let network = report.network { lines += self.network(network) }
        lines.append("processor \(number(report.cpuSeconds, 1)) s, memory \(number(report.peakRssMiB, 0)) MiB")
        lines += lateness(report.lateness)
        return (lines + [""] + verdict(report)).joined(separator: "\n")
    }

    /// Says so where media timers ran late; nothing otherwise.
    func lateness(_ lateness: WakeLateness) -> [String] {
        guard lateness.lateWakes > 0 else { return [] }
        let skipped = lateness.skippedTicks > 0 ? ", \(lateness.skippedTicks) left out" : ""
        return [
            "\(lateness.lateWakes) of \(lateness.wakes) media timers ran late, up to "
                + "\(number(lateness.longestMilliseconds, 0)) ms, \(number(lateness.lateMilliseconds, 0)) ms in sum\(skipped): "
                + "this machine is too busy for what it is asked to carry; run fewer participants or less beside them"
        ]
    }

    /// That connections were lost and made anew; whose, where several are in the run.
    func connection(_ report: RunReport) -> [String] {
        let lost = report.participants.filter { $0.reconnects > 0 }
        guard !lost.isEmpty else { return [] }
        let times = lost.map { "\($0.identity.printable(limit: 64)) \($0.reconnects)x" }.joined(separator: ", ")
        return ["connections lost and made anew: \(times)"]
    }

    private func network(_ report: NetworkReport) -> [String] {
        func direction(_ name: String, _ counted: NetworkReport.Direction) -> String {
            "network \(name): \(counted.forwarded) datagrams passed, \(counted.dropped) lost, "
                + "\(counted.duplicated) doubled, \(counted.reordered) held back"
        }
        var lines = [
            direction("to the server", report.toServer), direction("to the participants", report.toParticipants),
        ]
        if let hostile = report.hostile {
            let injected = hostile.injected.values.reduce(0, +)
            lines.append("attack: \(injected) datagrams on participants' addresses, \(hostile.flooded) from strangers")
        }
        let own = report.receiveBufferDrops + report.toServer.overflowed + report.toParticipants.overflowed
        if own > 0 { lines.append("\(own) datagrams were lost by the relays themselves, for want of time") }
        return lines
    }

    /// The table of tracks.
    func tracks(_ report: RunReport) -> [String] {
        let head = row(["from", "to", "kind", "frames", "lost", "again", "first", "p50", "p99", "heard"])
        return [dim(head)]
            + report.tracks.map { track in
                let cells = row([
                    track.from.printable(limit: 24), track.to.printable(limit: 24), track.kind,
                    "\(track.framesDecoded)", "\(track.packetsLost)",
                    "\(track.packetsRecovered)", track.firstFrameMs.map { "\(number($0, 0)) ms" } ?? "-",
                    track.latencyMs.map { "\(number($0.p50, 1)) ms" } ?? "-",
                    track.latencyMs.map { "\(number($0.p99, 1)) ms" } ?? "-", heard(track),
                ])
                return (track.ok ? green("ok   ") : red("LOST ")) + cells
            }
    }

    private func heard(_ track: TrackReport) -> String {
        guard let audio = track.audio else {
            return track.width.map { "\($0)x\(track.height ?? 0)" } ?? ""
        }
        let concealed = audio.concealedMs > 0 ? ", \(number(audio.concealedMs, 0)) ms concealed" : ""
        if let match = audio.match {
            return "match \(number(match, 2)) (other \(number(audio.bestOther, 2)))\(concealed)"
        }
        return (audio.dominantHz.map { "\(number($0, 0)) Hz" } ?? "silence") + concealed
    }

    /// What was lost, or that nothing was.
    func verdict(_ report: RunReport) -> [String] {
        guard !report.ok else { return [green("Everything that was sent was heard and seen.")] }
        let head = report.status == .environment ? "The call was whole, but not all of it could be written:" : "Lost:"
        return [red(head)] + report.failures.map { "  \($0.printable)" }
            + ["reasons: " + report.reasons.map(\.rawValue).joined(separator: ", ")]
    }

    private func row(_ cells: [String]) -> String {
        let widths = [9, 9, 6, 7, 5, 6, 8, 9, 9, 0]
        let text = zip(cells, widths).map { cell, width in
            cell.padding(toLength: max(width, cell.count), withPad: " ", startingAt: 0)
        }
        return text.joined(separator: " ")
    }

    private func number(_ value: Double?, _ digits: Int) -> String {
        value.map { String(format: "%.\(digits)f", $0) } ?? "-"
    }

    private func coloured(_ text: String, _ code: String) -> String {
        isColoured ? "\u{1b}[\(code)m\(text)\u{1b}[0m" : text
    }
    private func green(_ text: String) -> String { coloured(text, "32") }
    private func red(_ text: String) -> String { coloured(text, "31") }
    private func dim(_ text: String) -> String { "     " + coloured(text, "2") }
}
