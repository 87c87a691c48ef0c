import CoreMetrics
import Synchronization

/// A swift-metrics backend that Prometheus can read: what is counted anywhere in the process, as text on demand.
///
/// Counters become counters (`_total`), meters and recorders that do not aggregate gauges, other recorders histograms, timers
/// histograms of seconds (`_seconds`). Recording takes a lock of its series alone and allocates nothing.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// Series beyond this many are not kept: names that come from outside must not fill the memory.
    package static let mostSeries = 10_000

    private struct State {
        var families: [String: MetricFamily] = [:]
        var series = 0
        var collectors: [@Sendable () -> Void] = []
        /// Series that were asked for and not kept.
        var refused = 0
    }

    private let state = Mutex(State())
    private let settings: PrometheusSettings

    package init(_ settings: PrometheusSettings = .init()) { self.settings = settings }

    /// Does something before each rendering, such as setting meters to what is now.
    package func collect(_ collector: @escaping @Sendable () -> Void) {
        state.withLock { $0.collectors.append(collector) }
    }

    /// All series in the text format, version 0.0.4.
    package func render() -> String {
        for collector in state.withLock({ $0.collectors }) { collector() }
        let (families, refused) = state.withLock { ($0.families, $0.refused) }
        var text = ""
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            family.render(name, help: settings.help[name], into: &text)
        }
        guard refused > 0 else { return text }
        return text + "# TYPE metrics_refused_total counter\nmetrics_refused_total \(refused)\n"
    }

    /// The `Content-Type` of `render()`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The series of that name and those dimensions, made where there is none. One that can't be kept counts for itself.
    private func series<Series: MetricSeries>(
        _ name: String, _ dimensions: [(String, String)], _ make: () -> Series
    ) -> Series {
        let labels = MetricLabels(dimensions)
        return state.withLock { state in
            let family = state.families[name]
            if let known = family?.series[labels] {
                if let known = known as? Series { return known }
            } else if family.map({ $0.kind == Series.kind }) ?? true, state.series < Self.mostSeries {
                let made = make()
                state.families[name, default: MetricFamily(kind: Series.kind)].series[labels] = made
                state.series += 1
                return made
            }
            state.refused += 1
            return make()
        }
    }

    private func remove(_ handler: AnyObject) {
        state.withLock { state in
            for (name, family) in state.families {
                guard let entry = family.series.first(where: { $0.value === handler }) else { continue }
                state.families[name]?.series[entry.key] = nil
                if family.series.count == 1 { state.families[name] = nil }
                state.series -= 1
                return
            }
        }
    }
}

extension PrometheusRegistry {
    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        series(MetricName.of(label, suffix: "_total"), dimensions, CounterSeries.init)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler {
        series(MetricName.of(label, suffix: "_total"), dimensions, CounterSeries.init)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        series(MetricName.of(label), dimensions, GaugeSeries.init)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler {
        let name = MetricName.of(label)
        guard aggregate else { return series(name, dimensions, GaugeSeries.init) }
        let bounds = settings.buckets[name] ?? PrometheusSettings.valueBuckets
        return series(name, dimensions) { HistogramSeries(bounds, scale: 1) }
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let name = MetricName.of(label, suffix: "_seconds")
        let bounds = settings.buckets[name] ?? PrometheusSettings.timeBuckets
        return series(name, dimensions) { HistogramSeries(bounds, scale: 1e-9) }
    }

    package func destroyCounter(_ handler: any CounterHandler) { remove(handler) }
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) { remove(handler) }
    package func destroyMeter(_ handler: any MeterHandler) { remove(handler) }
    package func destroyRecorder(_ handler: any RecorderHandler) { remove(handler) }
    package func destroyTimer(_ handler: any TimerHandler) { remove(handler) }
}

/// What is said of metrics by their rendered names.
package struct PrometheusSettings: Sendable {
    /// One sentence for each.
    package var help: [String: String]
    /// Upper bounds of histograms, ascending; standard ones for all others.
    package var buckets: [String: [Double]]

    package init(help: [String: String] = [:], buckets: [String: [Double]] = [:]) {
        self.help = help
        self.buckets = buckets.mapValues { Array(Set($0.filter(\.isFinite))).sorted() }
    }

    /// 1 ms to 10 s.
    static let timeBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    static let valueBuckets = [1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000]
}
