import Testing

@testable import LoadResults

@Suite struct ParticipantDrawingTests {
    private func participant(_ change: (inout ParticipantTimeline) -> Void) -> ParticipantResult {
        var one = HandMade.subscriber("s")
        var line = ParticipantTimeline(startSecond: 0)
        change(&line)
        one.timeline = line
        return one
    }

    private func row(_ one: ParticipantResult, seconds: Int = 10) -> [String] {
        HeatMap(TimeAxis(HandMade.run(seconds))).row(one, duration: Double(seconds))
            .matches(of: #/<rect class="(h[0-5])" x="([0-9]+)" y="0" width="([0-9]+)"/#)
            .map { "\($0.output.1) \($0.output.2) \($0.output.3)" }
    }

    @Test func neighboursOfOneColourAreOneRectangle() {
        let one = participant { line in
            line.packetsExpected = Array(repeating: 1_000, count: 10)
            line.packetsLost = [0, 0, 0, 5, 5, 20, 20, 80, 200, 0]
        }
        #expect(row(one) == ["h0 0 3", "h2 3 2", "h3 5 2", "h4 7 1", "h5 8 1", "h0 9 1"])
    }

    @Test func aFrozenPictureIsAsBadAsLoss() {
        let one = participant { line in
            line.packetsExpected = Array(repeating: 1_000, count: 4)
            line.packetsLost = Array(repeating: 0, count: 4)
            line.frozenMs = [0, 15, 200, 700]
        }
        #expect(row(one) == ["h0 0 1", "h1 1 1", "h3 2 1", "h5 3 1"])
    }

    @Test func whoCameLateBeginsLate() {
        let one = participant { line in
            line.startSecond = 6
            line.packetsExpected = [100, 100]
            line.packetsLost = [0, 0]
        }
        #expect(row(one) == ["h0 6 2"])
    }

    @Test func ofAColumnTheWorstIsShown() {
        // Two seconds in each of 180 columns.
        let one = participant { line in
            line.packetsExpected = Array(repeating: 100, count: 360)
            line.packetsLost = (0..<360).map { $0 == 101 ? 50 : 0 }
        }
        #expect(row(one, seconds: 360) == ["h0 0 50", "h5 50 1", "h0 51 129"])
    }

    @Test func withoutATimelineTheRowIsEmpty() { #expect(row(HandMade.subscriber("s")).isEmpty) }

    private func spark(_ one: ParticipantResult) -> String {
        Sparkline(axis: TimeAxis(HandMade.run(10)), top: 80_000).html(one, duration: 10)
    }

    @Test func aSparklineHasTheBitrateAndTheLayers() {
        let one = participant { line in
            line.bytesReceived = [0, 5_000, 10_000, 10_000]
            line.spatialLayer = [-1, 0, 2, 2]
        }
        let html = spark(one)
        #expect(html.contains("d=\"M50.0 1000.0L150.0 500.0L250.0 0.0L350.0 0.0\""))
        #expect(html.contains("<rect class=\"l0\" x=\"100.0\" y=\"0\" width=\"100.0\""))
        #expect(html.contains("<rect class=\"l2\" x=\"200.0\" y=\"0\" width=\"200.0\""))
        #expect(html.contains("layer 0 to 2, 1 change<") && html.contains("600 kbit/s"))
    }

    @Test func layersThatStayAreSaidOnce() {
        #expect(spark(participant { ($0.bytesReceived, $0.spatialLayer) = ([1, 1], [1, 1]) }).contains(">layer 1<"))
        #expect(!spark(participant { ($0.bytesReceived, $0.spatialLayer) = ([1, 1], [-1, -1]) }).contains("layer "))
        #expect(spark(HandMade.subscriber("s")).isEmpty)
    }

    @Test func aDistributionHasItsPeakAtFullHeight() {
        let html = Distribution(histogram: HandMade.times(Array(repeating: 1_000, count: 90) + [9_000])).html
        let heights = html.matches(of: #/V([0-9.]+)h0.85/#).compactMap { Double($0.output.1) }
        #expect(heights.count == 2 && heights.first == 0)
        // One of ninety: the root of its share.
        #expect(abs((heights.last ?? 0) - (100 - (1.0 / 90).squareRoot() * 100)) < 0.1)
        #expect(Distribution(histogram: HistogramSnapshot()).html.isEmpty)
    }

    @Test func rareTimesAreStillSeen() {
        var histogram = LatencyHistogram()
        histogram.record(microseconds: 500, count: 1_000_000)
        histogram.record(microseconds: 800_000)
        let heights = Distribution(histogram: histogram.snapshot).html.matches(of: #/V([0-9.]+)h0.85/#)
            .compactMap { Double($0.output.1) }
        #expect(heights == [0, 96])
    }
}
