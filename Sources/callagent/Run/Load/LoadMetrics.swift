import CallServer
import CoreMetrics
import LoadResults
import Logging
import PrometheusMetrics

/// What a load test counts, for Prometheus: `load --metrics-address`.
final class LoadMetrics: Sendable {
    private let registry: PrometheusRegistry
    private let process: ProcessMetrics

    init() {
        registry = PrometheusRegistry()
        process = ProcessMetrics(registry)
    }

    /// Serves them; nil where no address is given.
    func listen(_ address: MetricsAddress?) async throws -> MetricsEndpoint? {
        guard let address else { return nil }
        let endpoint = try await MetricsEndpoint.listen(
            host: address.host, port: address.port, contentType: PrometheusRegistry.contentType,
            logger: Logger(label: "metrics")
        ) { self.text() }
        StandardError.line("metrics on \(address.url(port: endpoint.port))")
        return endpoint
    }

    func text() -> String {
        process.note()
        return registry.render()
    }

    /// A second that is over.
    func note(_ sample: SecondSample) {
        let people = sample.participants
        for (state, count) in [
            ("joining", people.joining), ("joined", people.joined - people.reconnecting),
            ("reconnecting", people.reconnecting),
        ] { gauge("participants", Double(count), ("state", state)) }
        count("joins", people.joins)
        count("join_failures", people.failures)
        count("leaves", people.leaves)
        count("losses", people.losses)
        note(sample.audio, "audio")
        note(sample.video, "video")
        note(sample.latency, "latency_seconds")
        note(sample.join, "join_seconds")
        note(sample.roundTripTime, "round_trip_seconds")
        gauge("loop_lag_seconds", sample.tester.loopLagMs / 1000)
        count("receive_buffer_drops", sample.tester.receiveBufferDrops)
        count("seconds", 1)
        count("saturated_seconds", sample.saturated.isEmpty ? 0 : 1)
        if let server = sample.server { gauge("server_cpu_cores", server.cpuProcess) }
    }

    private func note(_ counters: MediaCounters, _ kind: String) {
        let (inbound, outbound) = (counters.inbound, counters.outbound)
        for (name, value) in [
            ("packets_sent", outbound.packetsSent), ("packets_expected", inbound.packetsExpected),
            ("packets_received", inbound.packetsReceived), ("packets_lost", inbound.packetsLost),
            ("received_bytes", inbound.bytesReceived), ("frames_received", inbound.framesReceived),
            ("freezes", inbound.freezeCount),
        ] { count(name, value, ("kind", kind)) }
    }

    /// Of the second.
    private func note(_ times: HistogramSnapshot?, _ name: String) {
        for percent in [50.0, 95, 99] {
            let milliseconds = times?.percentile(percent) ?? .nan
            gauge(name, milliseconds / 1000, ("quantile", "\(percent / 100)"))
        }
    }

    private func count(_ name: String, _ value: Int, _ dimensions: (String, String)...) {
        Counter(label: "callbridge_load_\(name)", dimensions: dimensions, factory: registry)
            .increment(by: max(0, value))
    }

    private func gauge(_ name: String, _ value: Double, _ dimensions: (String, String)...) {
        Meter(label: "callbridge_load_\(name)", dimensions: dimensions, factory: registry).set(value)
    }
}
