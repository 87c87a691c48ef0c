import Foundation
import LoadResults
import Testing

@Suite struct ReportPageTests {
    private func judged(_ run: LoadResults) -> LoadResults {
        var run = run
        run.judge([])
        return run
    }

    @Test func itLoadsNothingAndRunsNothing() {
        let page = ReportPage.html(judged(SampleRun().make()))
        for forbidden in [
            "<script", "<link", "<img", "<iframe", "src=", "href=", "url(", "@import", "http://", "https://", "onload",
        ] {
            #expect(!page.contains(forbidden), "\(forbidden)")
        }
        #expect(page.contains("default-src 'none'") && page.contains("name=\"viewport\""))
        #expect(page.contains("prefers-color-scheme:dark") && page.contains("@media print"))
    }

    @Test func everyPartIsThere() {
        let page = ReportPage.html(judged(SampleRun().make()))
        for id in ["time", "times", "heat", "bitrate", "participants", "tester", "run"] {
            #expect(page.contains("<section id=\"\(id)\">"), "\(id)")
        }
        for title in [
            "Participants", "Latency", "Packets lost", "Bitrate", "Freezes and repairs", "Processor", "Memory",
        ] {
            #expect(page.contains("<h3>\(title)</h3>"), "\(title)")
        }
        #expect(
            page.contains("class=\"sat\"") && page.contains("The tester was the bottleneck in 6 of 90 seconds (52-57)"))
        #expect(page.contains("Participant sub-17 received"))
    }

    @Test func metricsKeepTheirNames() throws {
        var run = SampleRun(subscribers: 4, duration: 5, throttled: nil, starved: 0..<0).make()
        run.judge([try Threshold("join.p95<1us")])
        #expect(ReportPage.html(run).contains("<li>join.p95 is "))
    }

    @Test func aHealthyRunHasNoShade() {
        let page = ReportPage.html(judged(SampleRun(throttled: nil, starved: 0..<0).make()))
        #expect(!page.contains("class=\"sat\"") && page.contains("The tester was healthy in every second"))
    }

    @Test func itIsWellFormed() throws {
        for run in [
            SampleRun().make(), SampleRun(subscribers: 0, duration: 1).make(), LoadResults(run: SampleRun().make().run),
        ] {
            // HTML without its void elements and named characters is XML.
            let page = ReportPage.html(judged(run))
                .replacingOccurrences(of: "<!DOCTYPE html>", with: "").replacingOccurrences(of: "&nbsp;", with: " ")
                .replacing(#/<meta ([^>]*)>/#) { "<meta \($0.output.1)/>" }
            #expect(WellFormed.fault(page) == nil)
        }
    }

    @Test func whatCameFromOutsideIsEscaped() {
        let attack = "\"><script>alert('x')</script>&\u{202E}\u{0}\u{1B}[31m"
        var run = SampleRun(subscribers: 4, duration: 5, throttled: nil, starved: 0..<0).make()
        run.run.arguments = [attack]
        run.run.scenario = attack
        run.run.target = attack
        run.run.tool = attack
        run.run.toolVersion = attack
        run.run.machine.hostname = attack
        run.run.machine.kernel = attack
        run.run.machine.cpuModel = attack
        run.state = .interrupted
        run.interruption = attack
        for index in run.participants.indices {
            run.participants[index].identity = attack
            run.participants[index].room = attack
            run.participants[index].failure = attack
        }
        run.verdicts.failures = [attack]
        run.verdicts.thresholds = [ThresholdVerdict(expression: attack, ok: false, measured: 1, message: attack)]
        for page in [ReportPage.html(run), JUnitFile.text(run)] {
            #expect(!page.contains("<script") && !page.contains("'x'"))
            #expect(!page.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || $0 == "\u{202E}" })
            #expect(page.contains("&lt;script&gt;"))
        }
    }

    @Test func hostileNumbersDoNoHarm() {
        var run = SampleRun(subscribers: 4, duration: 5, starved: 0..<0).make()
        run.durationSeconds = 2_000_000
        run.run.timestamp = .min
        run.seconds[0].participants.joined = .max
        run.seconds[1].participants.joined = .min
        run.seconds[2].video.inbound.packetsLost = .max
        run.seconds[3].video.inbound.bytesReceived = .min
        run.seconds[3].tester.loopLagMs = 1e308
        run.seconds[4].tester.cpuProcess = -1e308
        run.participants[0].timeline?.startSecond = 1_999_999
        run.participants[1].timeline?.bytesReceived = [.max, .min]
        run.participants[1].timeline?.intervalSeconds = 2_000_000
        run.participants[2].timeline?.spatialLayer = [.max, .min, 3]
        run.participants[3].startSecond = -1e300
        run.participants[3].video.inbound.totalDuration = 1e-300
        run.participants[3].video.inbound.totalFreezesDuration = 1e300
        let page = ReportPage.html(judged(run))
        #expect(page.count < 1_000_000 && !page.contains("inf") && !page.contains("nan%"))
    }

    @Test func aLongRunHasASmallPage() {
        let long = SampleRun(subscribers: 30, duration: 400, throttled: nil, starved: 0..<0).make()
        #expect(ReportPage.html(judged(long)).utf8.count < 1_500_000)
    }
}
