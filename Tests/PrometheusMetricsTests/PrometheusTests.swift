import CoreMetrics
import PrometheusMetrics
import Testing

@Suite struct PrometheusTests {
    private let registry = PrometheusRegistry(
        .init(
            help: ["joins_total": "Joins that\nsucceeded \\ \"quoted\""],
            buckets: ["rtt_seconds": [0.1, 0.01, 0.1, .infinity]]))

    private func lines() -> [Substring] { registry.render().split(separator: "\n") }

    @Test func countersOnlyRise() {
        let counter = Counter(label: "joins", factory: registry)
        counter.increment()
        counter.increment(by: 4)
        counter.increment(by: -3)
        #expect(
            lines() == [
                #"# HELP joins_total Joins that\nsucceeded \\ "quoted""#, "# TYPE joins_total counter", "joins_total 5",
            ])
        counter.reset()
        #expect(lines().last == "joins_total 0")
    }

    @Test func dimensionsMakeSeriesOfOneName() {
        Counter(label: "bytes", dimensions: [("room", "b"), ("kind", "video")], factory: registry).increment(by: 7)
        Counter(label: "bytes", dimensions: [("kind", "video"), ("room", "b")], factory: registry).increment(by: 1)
        Counter(label: "bytes", dimensions: [("room", "a"), ("room", "ignored")], factory: registry).increment()
        #expect(
            lines() == [
                "# TYPE bytes_total counter", #"bytes_total{kind="video",room="b"} 8"#, #"bytes_total{room="a"} 1"#,
            ])
    }

    @Test func metersAreGauges() {
        let meter = Meter(label: "participants.joined", factory: registry)
        meter.set(4)
        meter.increment(by: 2)
        meter.decrement(by: 0.5)
        #expect(lines() == ["# TYPE participants_joined gauge", "participants_joined 5.5"])
        for (value, text) in [
            (Double.nan, "NaN"), (.infinity, "+Inf"), (-.infinity, "-Inf"), (1e300, "1e+300"), (0.1, "0.1"),
        ] {
            meter.set(value)
            #expect(lines().last == "participants_joined \(text)")
        }
    }

    @Test func timersAreHistogramsOfSeconds() {
        let timer = Timer(label: "rtt", dimensions: [("kind", "media")], factory: registry)
        timer.recordMilliseconds(10)
        timer.recordMilliseconds(11)
        timer.recordMilliseconds(500)
        #expect(
            lines() == [
                "# TYPE rtt_seconds histogram", #"rtt_seconds_bucket{kind="media",le="0.01"} 1"#,
                #"rtt_seconds_bucket{kind="media",le="0.1"} 2"#, #"rtt_seconds_bucket{kind="media",le="+Inf"} 3"#,
                #"rtt_seconds_sum{kind="media"} 0.521"#, #"rtt_seconds_count{kind="media"} 3"#,
            ])
    }

    @Test func recordersAggregateOrNot() {
        Gauge(label: "temperature", factory: registry).record(3.5)
        let sizes = Recorder(label: "size", factory: registry)
        sizes.record(1)
        sizes.record(20_000)
        sizes.record(Double.nan)
        let text = registry.render()
        #expect(text.contains("# TYPE temperature gauge\ntemperature 3.5\n"))
        #expect(text.contains("size_bucket{le=\"1\"} 1\n") && text.contains("size_bucket{le=\"+Inf\"} 2\n"))
        #expect(text.contains("size_sum 20001\n") && text.contains("size_count 2\n"))
    }

    @Test func hostileNamesAreMadeHarmless() {
        Counter(
            label: "9 lives{}\n", dimensions: [("__name__", "a\"b\\c\nd\r\n"), ("le", "x"), ("", "y")],
            factory: registry
        ).increment()
        let sample = #"_9_lives____total{_="y",label___name__="a\"b\\c\nd"# + "\r" + #"\n",label_le="x"} 1"#
        #expect(lines().map(String.init) == ["# TYPE _9_lives____total counter", sample])
    }

    @Test func oneNameIsOfOneKind() {
        Meter(label: "load", factory: registry).set(1)
        Recorder(label: "load", factory: registry).record(5)
        #expect(
            lines() == [
                "# TYPE load gauge", "load 1", "# TYPE metrics_refused_total counter", "metrics_refused_total 1",
            ])
    }

    @Test func seriesWithoutEndAreNotKept() {
        for index in 0..<PrometheusRegistry.mostSeries + 5 {
            Counter(label: "c", dimensions: [("room", "\(index)")], factory: registry).increment()
        }
        let lines = lines()
        #expect(lines.count == PrometheusRegistry.mostSeries + 3 && lines.last == "metrics_refused_total 5")
    }

    @Test func whatIsDestroyedIsGone() {
        let (kept, gone) = (Counter(label: "a", factory: registry), Counter(label: "b", factory: registry))
        kept.increment()
        gone.destroy()
        #expect(lines() == ["# TYPE a_total counter", "a_total 1"])
        kept.destroy()
        #expect(registry.render().isEmpty)
    }

    @Test func collectorsRunBeforeEachRendering() {
        let meter = Meter(label: "now", factory: registry)
        let registry = registry
        var number = 0
        registry.collect { meter.increment() }
        for _ in 0..<3 {
            number += 1
            #expect(lines().last == "now \(number)")
        }
    }

    @Test func countsOfManyThreadsAddUp() async {
        let counter = Counter(label: "n", factory: registry)
        let timer = Timer(label: "t", factory: registry)
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 {
                        counter.increment()
                        timer.recordNanoseconds(5)
                    }
                }
            }
        }
        #expect(registry.render().contains("n_total 4000\n") && registry.render().contains("t_seconds_count 4000\n"))
    }
}
