/// How the tester itself fared, with the seconds shaded in which it was the bottleneck.
struct TesterSection {
    let results: LoadResults
    let axis: TimeAxis

    var html: String {
        let charts = [processor, lateness, drops, memory].map { $0.html(axis) }.joined()
        let words =
            results.verdicts.saturation.map { Markup.escape($0.sentence(of: results.seconds.count)) }
            ?? "the tester was healthy in every second"
        let note = "<p class=\"note\">\(words.prefix(1).uppercased())\(words.dropFirst()).</p>\n"
        return charts.isEmpty
            ? "" : ReportPage.section("Health of the tester", "tester", note + "<div class=\"charts\">\(charts)</div>")
    }

    private func series(
        _ name: String, _ color: String, _ style: TimeChart.Series.Style = .line, _ value: (TimeBin) -> Double?
    ) -> TimeChart.Series {
        TimeChart.Series(name: name, color: color, style: style, values: axis.bins.map(value))
    }

    private var processor: TimeChart {
        TimeChart(
            title: "Processor", explanation: "Cores in use; of \(results.run.machine.cpuCount).", unit: .cores,
            least: 1,
            series: [
                series("tester", "c1", .area) { $0.sampled($0.tester.cpuProcess) },
                series("its busiest thread", "c3", .dashed) { $0.tester.threads.map(\.cpu).max() },
                series("server", "c2") { $0.serverCPU },
                series("whole machine", "c4") { $0.tester.cpuMachine },
            ])
    }

    private var lateness: TimeChart {
        TimeChart(
            title: "Delays", explanation: "The longest of each second.", unit: .milliseconds, least: 10,
            series: [
                series("media loops late by", "c1", .area) { $0.sampled($0.tester.loopLagMs) },
                series("wait for the kernel", "c2") { $0.sampled($0.tester.sendQueueDelayMs) },
            ])
    }

    private var drops: TimeChart {
        TimeChart(
            title: "Late timers and drops", explanation: "What the tester did not do in time, a second.",
            unit: .perSecond,
            least: 10,
            series: [
                series("late timers", "c2") { $0.rate($0.tester.lateTimers) },
                series("dropped datagrams", "bad", .bars) {
                    $0.rate($0.tester.receiveBufferDrops.saturatingAdd($0.tester.sendFailures))
                },
            ])
    }

    private var memory: TimeChart {
        TimeChart(
            title: "Memory", explanation: "Heap in use and resident memory of the tester, and the server's.",
            unit: .bytes,
            least: 1_048_576,
            series: [
                series("heap", "c1", .area) { $0.tester.heapBytes.map { Double($0) } },
                series("resident", "c4") { $0.tester.residentBytes.map { Double($0) } },
                series("server", "c2") { $0.serverMemory.map { Double($0) } },
            ])
    }
}
