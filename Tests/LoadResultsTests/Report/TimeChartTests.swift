import Testing

@testable import LoadResults

@Suite struct TimeChartTests {
    private let axis = TimeAxis(HandMade.run(4) { if $0.second == 1 || $0.second == 2 { $0.saturated = [.cpuThread] } })

    private func chart(_ values: [Double?], _ style: TimeChart.Series.Style = .line) -> TimeChart {
        TimeChart(
            title: "T", explanation: "E", unit: .count, least: 4,
            series: [TimeChart.Series(name: "n", color: "c1", style: style, values: values)])
    }

    /// What the drawing's paths hold beside the grid.
    private func paths(_ html: String, _ name: String) -> [String] {
        html.matches(of: #/<path class="(?<class>[^"]*)" d="(?<d>[^"]*)"/#).filter { $0.output.class.hasPrefix(name) }
            .map { String($0.output.d) }
    }

    @Test func aLineGoesThroughTheMiddlesOfTheBins() {
        #expect(paths(chart([0, 4, 2, 4]).html(axis), "line") == ["M125.0 1000.0L375.0 0.0L625.0 500.0L875.0 0.0"])
    }

    @Test func gapsStayOpen() {
        #expect(paths(chart([1, nil, 2, 2]).html(axis), "line") == ["M125.0 750.0h0.1M625.0 500.0L875.0 500.0"])
    }

    @Test func anAreaIsClosedAtTheBottom() {
        let html = chart([4, 4, nil, nil], .area).html(axis)
        #expect(paths(html, "fill") == ["M125.0 0.0L375.0 0.0L375.0 1000L125.0 1000Z"])
        #expect(paths(html, "line") == ["M125.0 0.0L375.0 0.0"])
    }

    @Test func barsStandWhereSomethingHappened() {
        #expect(paths(chart([0, nil, 4, 0], .bars).html(axis), "bar") == ["M500.0 1000V0.0h225.0V1000Z"])
    }

    @Test func aChartWithoutValuesIsLeftOut() {
        #expect(chart([nil, nil, nil, nil]).html(axis).isEmpty)
        #expect(!chart([0, nil, nil, nil]).html(axis).isEmpty)
    }

    @Test func saturatedSecondsAreOneShade() {
        #expect(TimeChart.shade(axis) == "<rect class=\"sat\" x=\"250.0\" y=\"0\" width=\"500.0\" height=\"1000\"/>")
        let apart = TimeAxis(HandMade.run(5) { if $0.second % 2 == 1 { $0.saturated = [.loopLag] } })
        #expect(TimeChart.shade(apart).components("<rect") == 2)
        #expect(TimeChart.shade(TimeAxis(HandMade.run(5))).isEmpty)
    }

    @Test func valuesAreSaidUnderAPointer() {
        let html = chart([1, nil, 3, 4]).html(axis)
        #expect(html.contains("<title>0:00&#10;n 1</title>"))
        #expect(html.contains("<title>0:01&#10;the tester was the bottleneck</title>"))
        #expect(html.contains("<title>0:02&#10;n 3&#10;the tester was the bottleneck</title>"))
        #expect(html.components("class=\"hit\"") == 4)
    }

    @Test func whoDoesNotSeeItIsTold() {
        #expect(chart([1, 3, 2, nil]).html(axis).contains("aria-label=\"T: n up to 3\""))
    }

    @Test func theLastLabelStandsInside() {
        let labels = TimeChart.xLabels(TimeAxis(HandMade.run(40)))
        #expect(labels.contains("<span class=\"end\" style=\"left:100.0%\">0:40</span>"))
        #expect(labels.contains("<span style=\"left:0.0%\">0:00</span>"))
    }
}

extension String {
    /// How often a text occurs.
    func components(_ text: String) -> Int { ranges(of: text).count }
}
