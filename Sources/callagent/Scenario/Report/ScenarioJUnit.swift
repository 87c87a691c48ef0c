import LoadResults

/// The expectations as JUnit XML, which CI services show: a suite for each file, a case for each expectation.
enum ScenarioJUnit {
    static func text(_ reports: [ScenarioReport]) -> String {
        var xml = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"callagent run\">\n"
        for report in reports { xml += suite(report) }
        return xml + "</testsuites>\n"
    }

    private static func suite(_ report: ScenarioReport) -> String {
        let cases =
            report.expectations.map { ("line \($0.line): \($0.expected)", $0.ok ? nil : $0.measured) }
            + [("every step could be done", report.troubles.isEmpty ? nil : report.troubles.joined(separator: "; "))]
            + [("it came to its end", report.interrupted.map { "interrupted by \($0)" })]
        let failures = cases.count { $0.1 != nil }
        let name = Markup.escape("\(report.scenario) (\(report.mode))")
        var xml =
            "  <testsuite name=\"\(name)\" tests=\"\(cases.count)\" failures=\"\(failures)\" errors=\"0\" "
            + "time=\"\(report.durationSeconds)\" file=\"\(Markup.escape(report.file))\">\n"
        for (title, failure) in cases {
            xml += "    <testcase classname=\"\(name)\" name=\"\(Markup.escape(title))\""
            guard let failure else {
                xml += "/>\n"
                continue
            }
            let text = Markup.escape(failure)
            xml += ">\n      <failure message=\"\(text)\" type=\"expectation\">\(text)</failure>\n    </testcase>\n"
        }
        return xml + "  </testsuite>\n"
    }
}
