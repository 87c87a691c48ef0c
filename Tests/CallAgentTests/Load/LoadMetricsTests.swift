import LoadCore
import LoadResults
import MediaCore
import Testing

@testable import callagent

/// What Prometheus collects of a tester.
@Suite struct LoadMetricsTests {
    private func sample(_ second: Int) -> SecondSample {
        var sample = SecondSample(second: second)
        sample.participants.joined = 5
        sample.participants.reconnecting = 1
        sample.participants.joins = 2
        sample.video.inbound.packetsReceived = 100
        sample.audio.outbound.packetsSent = 50
        sample.tester.loopLagMs = 250
        if second == 1 { sample.saturated = [.loopLag] }
        var times = LatencyHistogram(significantDigits: .two)
        times.record(microseconds: 8_000)
        sample.latency = times.snapshot
        return sample
    }

    private func value(_ name: String, _ text: String) -> String? {
        text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.map { String($0.dropFirst(name.count + 1)) }
    }

    @Test func countsAddUpAndStatesAreThoseOfTheLastSecond() {
        let metrics = LoadMetrics()
        for second in 0..<3 { metrics.note(sample(second)) }
        let text = metrics.text()
        for (name, wanted) in [
            ("participants{state=\"joined\"}", "4"), ("participants{state=\"reconnecting\"}", "1"),
            ("joins_total", "6"), ("packets_received_total{kind=\"video\"}", "300"),
            ("packets_received_total{kind=\"audio\"}", "0"), ("packets_sent_total{kind=\"audio\"}", "150"),
            ("seconds_total", "3"), ("saturated_seconds_total", "1"), ("loop_lag_seconds", "0.25"),
            ("join_seconds{quantile=\"0.95\"}", "NaN"),
        ] { #expect(value("callbridge_load_\(name)", text) == wanted, "\(name)") }
        let median = value("callbridge_load_latency_seconds{quantile=\"0.5\"}", text).flatMap { Double($0) }
        #expect(abs((median ?? 0) - 0.008) < 0.000_1)
        #expect(Double(value("process_resident_memory_bytes", text) ?? "") ?? 0 > 1e6)
        #expect(value("callbridge_load_server_cpu_cores", text) == nil)
    }

    @Test func theLastNetworkThatNamesAParticipantIsIts() async throws {
        let rules = try ["subscribers:loss=1", "subscriber 1:loss=2,delay=5"].map { try LoadNetworkOptions.rule($0) }
        let networks = try await LoadNetworks.start(rules, towards: "ws://127.0.0.1:7880")
        var settings = LoadSettings()
        (settings.audioPublishers, settings.subscribers) = (1, 2)
        let participants = LoadPlan(settings).participants
        #expect(participants.map { networks.index(for: $0) } == [nil, 0, 1])
        var media = MediaSessionConfiguration()
        networks.route(&media, of: participants[0])
        #expect(media.bindAddress == nil)
        networks.route(&media, of: participants[1])
        #expect(media.bindAddress == "127.0.0.1" && media.remoteAddressMap != nil)
        #expect(await networks.takeDrops() == 0)
        await networks.stop()
    }

    @Test func portsHaveNotRunOut() { #expect(LocalPorts.shortage == nil) }
}
