import CoreMetrics
import Synchronization

/// One time series: a name's values for one set of dimensions.
protocol MetricSeries: AnyObject, Sendable {
    static var kind: MetricKind { get }

    /// Appends its lines.
    func render(_ name: String, _ labels: MetricLabels, into text: inout String)
}

enum MetricKind: String, Sendable { case counter, gauge, histogram }

/// Only ever more.
final class CounterSeries: MetricSeries, CounterHandler, FloatingPointCounterHandler {
    static let kind = MetricKind.counter
    private let value = Mutex(0.0)

    func increment(by amount: Int64) { increment(by: Double(amount)) }

    /// What is below zero, or no number, is passed over: a counter never falls.
    func increment(by amount: Double) {
        guard amount > 0, amount.isFinite else { return }
        value.withLock { $0 += amount }
    }

    func reset() { value.withLock { $0 = 0 } }

    func render(_ name: String, _ labels: MetricLabels, into text: inout String) {
        text += "\(name)\(labels.text()) \(MetricValue.text(value.withLock { $0 }))\n"
    }
}

/// What is now.
final class GaugeSeries: MetricSeries, MeterHandler, RecorderHandler {
    static let kind = MetricKind.gauge
    private let value = Mutex(0.0)

    func set(_ new: Int64) { set(Double(new)) }
    func set(_ new: Double) { value.withLock { $0 = new } }
    func increment(by amount: Double) { value.withLock { $0 += amount } }
    func decrement(by amount: Double) { value.withLock { $0 -= amount } }
    func record(_ new: Int64) { set(Double(new)) }
    func record(_ new: Double) { set(new) }

    func render(_ name: String, _ labels: MetricLabels, into text: inout String) {
        text += "\(name)\(labels.text()) \(MetricValue.text(value.withLock { $0 }))\n"
    }
}

/// How many were at most so large.
final class HistogramSeries: MetricSeries, RecorderHandler, TimerHandler {
    static let kind = MetricKind.histogram

    private struct State {
        /// Of each bound, not summed up; the last one is above all bounds.
        var counts: [UInt64]
        var sum = 0.0
    }

    private let bounds: [Double]
    private let scale: Double
    private let state: Mutex<State>

    /// - Parameter scale: what recorded numbers are multiplied with.
    init(_ bounds: [Double], scale: Double) {
        self.bounds = bounds
        self.scale = scale
        state = Mutex(State(counts: .init(repeating: 0, count: bounds.count + 1)))
    }

    func record(_ value: Int64) { record(Double(value)) }
    func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }

    func record(_ value: Double) {
        let value = value * scale
        guard value.isFinite else { return }
        let index = bounds.firstIndex { value <= $0 } ?? bounds.count
        state.withLock { state in
            state.counts[index] &+= 1
            state.sum += value
        }
    }

    func render(_ name: String, _ labels: MetricLabels, into text: inout String) {
        let (counts, sum) = state.withLock { ($0.counts, $0.sum) }
        var reached: UInt64 = 0
        for (index, count) in counts.enumerated() {
            reached &+= count
            let bound = index < bounds.count ? MetricValue.text(bounds[index]) : "+Inf"
            text += "\(name)_bucket\(labels.text(adding: ("le", bound))) \(reached)\n"
        }
        text += "\(name)_sum\(labels.text()) \(MetricValue.text(sum))\n\(name)_count\(labels.text()) \(reached)\n"
    }
}
