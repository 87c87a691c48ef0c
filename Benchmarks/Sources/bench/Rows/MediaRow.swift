import MediaCore

/// P3 and P4: a participant that publishes, and one that receives, 640x360 at 30 frames a second in VP8 with Opus,
/// against the codecs alone. Everything in real time.
enum MediaRow {
    @Sendable static func run(_ settings: BenchSettings) async throws -> [Row] {
        let content = try MediaContent()
        let call = try await MediaCall(content)
        let codecs = try CodecsAlone(content)
        let seconds = settings.window * 1.5
        var ours: [MediaCost] = []
        var reference: [MediaCost] = []
        for _ in 0..<settings.rounds {
            ours.append(try await call.window(seconds: seconds))
            reference.append(try codecs.window(seconds: seconds))
        }
        await call.close()
        return rows(ours, reference)
    }

    private static func rows(_ ours: [MediaCost], _ reference: [MediaCost]) -> [Row] {
        let format: (Double) -> String = { "\($0.fixed(1)) ms/s" }
        let publish = Row.comparison(
            "P3", "publish 640x360@30 VP8 and Opus; codecs alone", ours: ours.map(\.sending),
            reference: reference.map(\.sending), limit: 1.1, format: format)
        var receive = Row.comparison(
            "P4", "receive and decode the same; codecs alone", ours: ours.map(\.receiving),
            reference: reference.map(\.receiving), limit: nil, format: format)
        receive.goal = "at most + 3 ms/s"
        receive.isMet = zip(ours, reference).map { $0.receiving - $1.receiving }.median <= 3
        return [publish, receive]
    }
}

/// Milliseconds of CPU for a second of media.
struct MediaCost: Sendable {
    var sending: Double
    var receiving: Double
}
