import Foundation
import LoadResults

/// A load test for people: a line as it goes, and a table at the end.
enum LoadText {
    /// What one second was like.
    static func line(_ sample: SecondSample, planned: Int) -> String {
        var parts = [
            String(format: "%5d s", sample.second + 1),
            "\(sample.participants.joined) there"
                + (sample.participants.joins > 0 ? " (+\(sample.participants.joins))" : ""),
        ]
        if sample.participants.joining > 0 { parts.append("\(sample.participants.joining) joining") }
        if sample.participants.reconnecting > 0 { parts.append("\(sample.participants.reconnecting) reconnecting") }
        if sample.participants.failures > 0 { parts.append("\(sample.participants.failures) failed") }
        parts.append(flow("sound", sample.audio.inbound))
        parts.append(flow("pictures", sample.video.inbound))
        if let latency = sample.latency {
            parts.append(
                "latency p50 \(milliseconds(latency.percentile(50))) p95 \(milliseconds(latency.percentile(95)))")
        }
        parts.append(String(format: "tester %.2f cpu", sample.tester.cpuProcess))
        if let server = sample.server { parts.append(String(format: "server %.2f cpu", server.cpuProcess)) }
        if !sample.saturated.isEmpty { parts.append("SATURATED (\(reasons(sample.saturated)))") }
        return parts.joined(separator: "  ")
    }

    private static func flow(_ name: String, _ counts: InboundCounters) -> String {
        "\(name) \(counts.framesReceived)/s" + (counts.framesDropped > 0 ? " lost \(counts.framesDropped)" : "")
    }

    /// The report; its first line says so where the tester was the bottleneck.
    static func report(_ record: LoadRecord) -> String {
        let results = record.results
        var lines: [String] = []
        if let saturation = results.verdicts.saturation {
            lines.append(warning(saturation, of: results.seconds.count))
        }
        lines.append(headline(results))
        lines += ["", columns("", ["sent", "expected", "received", "lost", "repaired", "twice"])]
        lines.append(media("sound", results.audio, frames: results.audio.inbound.framesDropped))
        lines.append(media("pictures", results.video, frames: results.video.inbound.framesDropped))
        if let data = results.data { lines += self.data(data) }
        lines += ["", columns("", ["p50", "p95", "p99", "most"])]
        lines.append(times("join", results.histograms.join))
        lines.append(times("first sound", results.histograms.firstAudio))
        lines.append(times("first picture", results.histograms.firstVideo))
        lines.append(times("latency", results.histograms.latency))
        lines.append(times("round trip", results.histograms.roundTripTime))
        if let calls = results.histograms.rpc { lines.append(times("remote call", calls)) }
        lines += ["", tester(results)]
        if record.cards.decoded > 0 {
            lines.append("decoded: \(record.cards.right) of \(record.cards.decoded) pictures show what was sent")
        }
        if record.unstamped > 0 {
            lines.append("\(record.unstamped) frames carry no number; what is missing among such is not counted")
        }
        if record.cycles.count > 1 {
            let cycles = record.cycles.map { "\(mebibytes($0.heapBytes)) and \($0.openFiles) open files" }
            lines.append("left after each cycle: " + cycles.joined(separator: "; "))
        }
        lines += outliers(results) + [""]
        lines += verdict(results.verdicts)
        return lines.joined(separator: "\n")
    }

    static func warning(_ saturation: Saturation, of count: Int) -> String {
        "\(saturation.sentence(of: count)): what follows says more about this machine than about the server"
    }

    private static func headline(_ results: LoadResults) -> String {
        let rooms = Set(results.participants.map(\.room)).count
        let got = results.participants.count { $0.joinMs != nil }
        let most = results.seconds.map(\.participants.joined).max() ?? 0
        return String(format: "%.1f s, ", results.durationSeconds) + (rooms == 1 ? "1 room" : "\(rooms) rooms")
            + ", \(got) of \(results.participants.count) participants got in, \(most) at a time"
    }

    private static func media(_ name: String, _ counts: MediaCounters, frames: Int) -> String {
        let inbound = counts.inbound
        let loss = (inbound.lossRatio ?? 0) * 100
        return columns(
            name,
            [
                "\(counts.outbound.packetsSent)", "\(inbound.packetsExpected)", "\(inbound.packetsReceived)",
                "\(inbound.packetsLost)" + (inbound.packetsLost > 0 ? String(format: " (%.3f %%)", loss) : ""),
                "\(inbound.retransmittedPacketsReceived)", "\(inbound.packetsDuplicated)",
            ])
    }

    private static func data(_ data: DataCounters) -> [String] {
        func row(_ name: String, _ counts: [Int?]) -> String { columns(name, counts.map { $0.map { "\($0)" } ?? "" }) }
        let messages = [
            nil, data.messagesExpected, data.messagesReceived, data.messagesLost, nil, data.messagesDuplicated,
        ]
        let calls = [data.rpcCalls, data.rpcCalls, data.rpcAnswers, data.rpcFailures, nil, nil]
        return (data.messagesExpected > 0 ? [row("messages", messages)] : [])
            + (data.rpcCalls > 0 ? [row("remote calls", calls)] : [])
    }

    /// Who fared much worse than the others.
    private static func outliers(_ results: LoadResults) -> [String] {
        let found = results.outliers
        let rest = found.count > mostNamed ? ["  and \(found.count - mostNamed) more"] : []
        return (found.isEmpty ? [] : ["", "worse than the others:"])
            + found.prefix(mostNamed).map { "  \($0.identity) in \($0.room) \($0.finding)" } + rest
    }

    private static let mostNamed = 5

    private static func times(_ name: String, _ histogram: HistogramSnapshot) -> String {
        columns(name, [50, 95, 99, 100].map { milliseconds(histogram.percentile($0)) })
    }

    private static func columns(_ name: String, _ values: [String]) -> String {
        name.padding(toLength: 14, withPad: " ", startingAt: 0)
            + values.map { String(repeating: " ", count: max(1, 16 - $0.count)) + $0 }.joined()
    }

    private static func milliseconds(_ value: Double?) -> String {
        guard let value else { return "-" }
        return value < 10 ? String(format: "%.1f ms", value) : String(format: "%.0f ms", value)
    }

    private static func tester(_ results: LoadResults) -> String {
        let health = results.seconds.map(\.tester)
        let cpu = health.map(\.cpuProcess).reduce(0, +) / Double(max(1, health.count))
        let lag = health.map(\.loopLagMs).max() ?? 0
        let drops = health.map(\.receiveBufferDrops).reduce(0, +)
        let busiest = health.flatMap(\.threads).max { $0.demand < $1.demand }
        var text = String(format: "tester: %.2f cores of %d", cpu, results.run.machine.cpuCount)
        if let busiest { text += String(format: ", busiest thread %@ %.0f %%", busiest.name, busiest.cpu * 100) }
        if let waited = busiest?.waiting, waited >= 0.01 {
            text += String(format: " (and %.0f %% in wait for a processor)", waited * 100)
        }
        text += String(format: ", loops up to %.0f ms late, kernel drops %d", lag, drops)
        if let heap = health.compactMap(\.heapBytes).max() { text += ", heap \(mebibytes(heap))" }
        return text
    }

    private static func verdict(_ verdicts: Verdicts) -> [String] {
        if verdicts.ok { return ["ok: everybody got in, and all that was sent has arrived"] }
        return ["FAILED"] + verdicts.failures.map { "  " + $0 }
    }

    private static func mebibytes(_ bytes: Int64) -> String { String(format: "%.1f MiB", Double(bytes) / 1_048_576) }
    private static func reasons(_ reasons: [SaturationReason]) -> String {
        reasons.map(\.rawValue).joined(separator: ", ")
    }
}
