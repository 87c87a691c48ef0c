import CallServer
import CoreMetrics
import Logging
import PrometheusMetrics
import Synchronization

/// What a server counts, for Prometheus: `serve --metrics`.
final class ServerMetrics: Sendable {
    private let server: CallServer
    private let registry = PrometheusRegistry()
    /// What counters have been told.
    private let told = Mutex(CallServerStatistics())
    private let process: ProcessMetrics

    init(_ server: CallServer) {
        self.server = server
        process = ProcessMetrics(registry)
    }

    /// Serves them; nil where no address is given.
    func listen(_ address: MetricsAddress?) async throws -> MetricsEndpoint? {
        guard let address else { return nil }
        return try await MetricsEndpoint.listen(
            host: address.host, port: address.port, contentType: PrometheusRegistry.contentType,
            logger: Logger(label: "metrics")
        ) { await self.text() }
    }

    func text() async -> String {
        note(await server.statistics())
        process.note()
        return registry.render()
    }

    private func note(_ now: CallServerStatistics) {
        Meter(label: "callbridge_rooms", factory: registry).set(now.rooms)
        Meter(label: "callbridge_participants", factory: registry).set(now.participants)
        told.withLock { told in
            for (name, path) in Self.counters {
                let counter = Counter(label: "callbridge_\(name)", factory: registry)
                counter.increment(by: max(0, now[keyPath: path] - told[keyPath: path]))
                // A server that takes back a count goes on from there: counters never fall.
                told[keyPath: path] = max(told[keyPath: path], now[keyPath: path])
            }
        }
    }

    private static var counters: [(String, WritableKeyPath<CallServerStatistics, Int>)] {
        [
            ("datagrams_received", \.datagrams.received), ("received_bytes", \.datagrams.bytesReceived),
            ("datagrams_sent", \.datagrams.sent), ("sent_bytes", \.datagrams.bytesSent),
            ("packets_received", \.packetsReceived), ("packets_forwarded", \.packetsForwarded),
            ("packets_dropped", \.packetsDropped), ("retransmissions", \.retransmissions),
            ("retransmission_misses", \.retransmissionMisses), ("key_frame_requests", \.keyFrameRequests),
            ("data_messages_dropped", \.dataMessagesDropped), ("receive_buffer_drops", \.datagrams.receiveBufferDrops),
            ("send_queue_drops", \.datagrams.sendQueueDrops), ("unknown_datagrams", \.datagrams.unknown),
        ]
    }
}
