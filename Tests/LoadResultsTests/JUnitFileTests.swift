import LoadResults
import Testing

@Suite struct JUnitFileTests {
    @Test func aCaseForTheRunOneForTheTesterAndOneForEachThreshold() throws {
        var run = SampleRun(subscribers: 8, duration: 10, starved: 4..<6).make()
        run.judge([try Threshold("join.p95<1ms"), try Threshold("participants.joins==8")])
        let xml = JUnitFile.text(run)
        #expect(WellFormed.fault(xml) == nil)
        #expect(xml.contains("tests=\"4\" failures=\"3\" errors=\"0\" skipped=\"0\" time=\"10.000\""))
        #expect(xml.contains("name=\"join.p95&lt;1ms\" time=\"0\">\n      <failure message=\"join.p95 is "))
        #expect(xml.contains("name=\"participants.joins==8\" time=\"0\"/>"))
        #expect(xml.contains("type=\"testerSaturated\">the tester was the bottleneck in 2 of 10 seconds"))
        #expect(xml.contains("type=\"notWhole\">") && xml.contains("timestamp=\"2026-11-23T"))
    }

    @Test(arguments: [
        (Int64(0), "1970-01-01T00:00:00"), (951_782_400_000, "2000-02-29T00:00:00"), (-1_000, "1969-12-31T23:59:59"),
        (1_795_410_061_999, "2026-11-23T05:01:01"), (4_107_542_399_000, "2100-02-28T23:59:59"),
        (.max, "9999-12-31T23:59:59"), (.min, "0001-01-01T00:00:00"),
    ])
    func moments(milliseconds: Int64, text: String) { #expect(UTC.text(milliseconds: milliseconds) == text) }

    @Test(arguments: [
        (0.0, 2, "0.00"), (1.005, 1, "1.0"), (-0.04, 1, "0.0"), (-12.345, 2, "-12.35"), (999.96, 1, "1000.0"),
        (Double.nan, 1, "-"), (.infinity, 1, "-"), (3, 0, "3"),
    ])
    func decimals(value: Double, places: Int, text: String) { #expect(Decimals.text(value, places) == text) }

    @Test func thousandsStandApart() {
        #expect(Decimals.grouped(0) == "0" && Decimals.grouped(999) == "999")
        #expect(Decimals.grouped(1_234_567) == "1,234,567" && Decimals.grouped(-1_000) == "-1,000")
    }

    @Test func valuesHaveTheUnitThatFits() {
        #expect(MetricUnit.bitsPerSecond.text(1_234_000) == "1.23 Mbit/s")
        #expect(MetricUnit.milliseconds.text(0.001) == "0.001 ms" && MetricUnit.milliseconds.text(0) == "0.00 ms")
        #expect(MetricUnit.bytes.text(62_914_560) == "60.0 MiB")
        #expect(MetricUnit.ratio.text(0.0123) == "1.23 %" && MetricUnit.ratio.text(0.5) == "50.0 %")
        #expect(MetricUnit.milliseconds.text(12_345) == "12.3 s" && MetricUnit.milliseconds.text(7) == "7.00 ms")
    }
}

/// The cases of a JUnit file, one by one.
@Suite struct JUnitCaseTests {
    private func cases(_ change: (inout LoadResults) -> Void, _ thresholds: [String] = []) throws -> [String] {
        var run = HandMade.run(4) { $0.participants.joined = 3 }
        change(&run)
        run.judge(try thresholds.map { try Threshold($0) })
        return JUnitFile.text(run).split(separator: "<testcase ").dropFirst().map(String.init)
    }

    private func isGood(_ text: String) -> Bool { !text.contains("<failure ") }

    @Test func aWholeRunHasTwoGoodCases() throws {
        let cases = try cases { _ in }
        #expect(cases.count == 2 && cases.allSatisfy(isGood))
        #expect(cases[0].contains("name=\"the run is whole\"") && cases[1].contains("name=\"the tester was not"))
    }

    @Test func whatIsMissingIsAllInOneCase() throws {
        let cases = try cases {
            $0.seconds[0].video.inbound.packetsLost = 3
            $0.seconds[1].audio.inbound.packetsLost = 1
        }
        #expect(cases[0].contains("1 audio packets are lost; 3 video packets are lost") && isGood(cases[1]))
    }

    @Test func theTestersFaultIsNotTheRuns() throws {
        let cases = try cases { $0.seconds[2].saturated = [.cpuThread] }
        #expect(isGood(cases[0]) && !isGood(cases[1]))
        #expect(cases[1].contains("in 1 of 4 seconds (2): a thread had no processor left"))
    }

    @Test func eachThresholdIsACaseOfItsOwn() throws {
        let cases = try cases({ _ in }, ["participants.peak==3", "participants.peak>3", "join.p95<1s"])
        #expect(cases.dropFirst(2).map(isGood) == [true, false, false])
        #expect(isGood(cases[0]) && cases[4].contains("was not measured in this run"))
    }

    @Test func theSuiteMayHaveAnotherName() {
        let xml = JUnitFile.text(HandMade.run(1), suite: "nightly \"a\"")
        #expect(xml.contains("<testsuite name=\"nightly &quot;a&quot;\"") && WellFormed.fault(xml) == nil)
        #expect(xml.contains("hostname=\"h\"") && xml.contains("timestamp=\"1970-01-01T00:00:01\""))
    }
}
