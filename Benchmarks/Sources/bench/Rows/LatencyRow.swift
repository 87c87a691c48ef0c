import CallBridge
import CallServer
import MediaCore

/// P8: from the moment a picture is handed to the encoder until the far agent has decoded it, through the embedded server on
/// loopback: 640x360 at 30 a second in VP8, with speech in Opus beside it, by the public API.
enum LatencyRow {
    private static let medianGoal = 4.0
    private static let tailGoal = 10.0

    @Sendable static func run(_ settings: BenchSettings) async throws -> [Row] {
        let (server, local) = try await LocalServer.start()
        let (sender, receiver) = (local.bridge(), local.bridge())
        let ada = try await sender.join(local.descriptor(room: "latency", identity: "ada"))
        let bob = try await receiver.join(local.descriptor(room: "latency", identity: "bob"))
        let source = try TimedCardSource()
        let sink = TimedCardSink(source)
        let watch = Task { await attach(sink, to: bob) }
        try await ada.publish(
            .video(name: "card", bitrate: 600_000) { source },
            .speech("The quick brown fox jumps over the lazy dog while the band plays on."))
        for _ in 0..<1000 where sink.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        // Until the encoder has found its rate.
        try await Task.sleep(for: .seconds(2 * settings.window))
        let first = source.count
        try await Task.sleep(for: .seconds(4 * settings.window * Double(settings.rounds)))
        let last = source.count
        // What is under way still counts.
        try await Task.sleep(for: .milliseconds(200))
        watch.cancel()
        await ada.leave()
        await bob.leave()
        await sender.shutdown()
        await receiver.shutdown()
        await server.stop()
        return try rows(sink.milliseconds(of: first..<last), of: last - first)
    }

    private static func attach(_ sink: TimedCardSink, to call: Call) async {
        for await event in call.events {
            if case .trackSubscribed(let media, _, _) = event, media.kind == .video { media.attach(sink) }
        }
    }

    private static func rows(_ latencies: [Double], of handed: Int) throws -> [Row] {
        guard latencies.count * 100 >= handed * 98, handed > 0 else {
            throw BenchError("only \(latencies.count) of \(handed) pictures were decoded")
        }
        let (median, tail) = (latencies.percentile(50), latencies.percentile(99))
        return [
            Row(
                id: "P8", what: "picture to the encoder -> decoded by the far agent, \(handed) pictures: p50; p99",
                ours: "\(median.fixed(1)); \(tail.fixed(1)) ms",
                goal: "at most \(medianGoal.fixed(0)); \(tailGoal.fixed(0)) ms",
                isMet: median <= medianGoal && tail <= tailGoal),
            Row(
                id: "P8", what: "pictures that did not come; longest way",
                ours: "\(handed - latencies.count); \(latencies.greatest.fixed(1)) ms"),
        ]
    }
}
