/// The verdicts as JUnit XML, which CI services show: a test case for the run, one for the tester, one for each threshold.
package enum JUnitFile {
    /// - Parameter startedAt: ISO 8601 without a zone, as the format wants it.
    package static func text(_ results: LoadResults, suite: String = "callagent load") -> String {
        let cases = cases(results)
        let failed = cases.count { $0.failure != nil }
        let duration = Decimals.text(results.durationSeconds, 3)
        let counts = "tests=\"\(cases.count)\" failures=\"\(failed)\" errors=\"0\" skipped=\"0\" time=\"\(duration)\""
        let started = UTC.text(milliseconds: results.run.timestamp)
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
        xml += "<testsuites name=\"\(Markup.escape(suite))\" \(counts)>\n"
        xml += "  <testsuite name=\"\(Markup.escape(suite))\" \(counts) timestamp=\"\(started)\""
        xml += " hostname=\"\(Markup.escape(results.run.machine.hostname))\">\n"
        for test in cases { xml += test.xml(suite: suite) }
        return xml + "  </testsuite>\n</testsuites>\n"
    }

    private struct Case {
        var name: String
        var failure: String?
        var kind: String

        func xml(suite: String) -> String {
            let head = "    <testcase classname=\"\(Markup.escape(suite))\" name=\"\(Markup.escape(name))\" time=\"0\""
            guard let failure else { return head + "/>\n" }
            let message = Markup.escape(failure)
            return head
                + ">\n      <failure message=\"\(message)\" type=\"\(kind)\">\(message)</failure>\n    </testcase>\n"
        }
    }

    private static func cases(_ results: LoadResults) -> [Case] {
        let verdicts = results.verdicts
        let thresholdFailures = Set(verdicts.thresholds.map(\.message))
        let saturation = verdicts.saturation?.sentence(of: results.seconds.count)
        let others = verdicts.failures.filter { !thresholdFailures.contains($0) && $0 != saturation }
        let whole = Case(
            name: "the run is whole", failure: others.isEmpty ? nil : others.joined(separator: "; "), kind: "notWhole")
        let tester = Case(name: "the tester was not the bottleneck", failure: saturation, kind: "testerSaturated")
        return [whole, tester]
            + verdicts.thresholds.map {
                Case(name: $0.expression, failure: $0.ok ? nil : $0.message, kind: "threshold")
            }
    }
}
