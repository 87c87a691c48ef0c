import RTCCore
import RTCSim
import RTCWire
import Testing

@testable import MediaCore

/// When pictures reach their sinks and how they are counted, in virtual time over a seeded network.
@Suite struct VideoPlayoutTests {
    /// Notes when each picture came and when it was to be shown.
    // The simulation runs on one thread.
    private final class ShowingSink: VideoSink, @unchecked Sendable {
        let simulation: Simulation
        private(set) var shown: [(time: Instant, due: Instant, captured: Instant)] = []

        init(_ simulation: Simulation) { self.simulation = simulation }

        func receive(_ frame: VideoFrame) {
            let due = Instant(nanoseconds: frame.renderTime?.nanoseconds ?? 0)
            let captured = Instant(nanoseconds: frame.captureTime.nanoseconds)
            shown.append((simulation.now, due, captured))
        }

        /// Standard deviation of the intervals, ms, of what came after `start`.
        func unevenness(after start: Instant) -> Double {
            let times = shown.map(\.time).filter { $0 > start }
            let intervals = zip(times.dropFirst(), times).map { ($0 - $1).milliseconds }
            let mean = intervals.reduce(0, +) / Double(max(intervals.count, 1))
            let squares = intervals.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
            return (squares / Double(max(intervals.count, 1))).squareRoot()
        }
    }

    private func call(
        _ conditions: NetworkConditions, _ release: VideoRelease, seed: UInt64 = 1, seconds: Double = 20
    ) throws -> (ShowingSink, ReceiverStatistics, start: Instant) {
        let pair = try MachinePair(conditions, seed: seed) { configuration, _ in
            configuration.playout.video = release
        }
        let source = try TestCardSource(sender: 3, width: 160, height: 90, frameRate: 30)
        let card = LocalTrack(.video(source, VideoEncoding(bitrate: 200_000)), id: "card")
        _ = try pair.perform(pair.ada) { machine, _, _ in try machine.addTrack(card, streamID: "ada") }
        try pair.negotiate()
        try #require(pair.connect())
        let sink = ShowingSink(pair.simulation)
        try #require(pair.bob.tracks.first).attach(sink as any VideoSink)
        let start = pair.simulation.now
        pair.pass(seconds: seconds)
        return (sink, try #require(pair.statistics(pair.bob).receivers.first), start + .seconds(4))
    }

    @Test func onACleanWayNothingWaitsForItsDecoder() throws {
        let (sink, counted, start) = try call(NetworkConditions(delay: .milliseconds(20)), .decoded)
        let lead = sink.shown.filter { $0.time > start }.map { ($0.due - $0.time).milliseconds }
        // Given out as it came; to be shown when a display is ready for it.
        #expect(lead.allSatisfy { $0 > 0 && $0 < 20 })
        #expect(counted.freezes == 0 && counted.rendering.framesMissed == 0)
        #expect(counted.framesDecoded - counted.rendering.framesRendered <= 1)
        let mean = counted.rendering.totalInterFrameDelay / Double(counted.rendering.framesRendered)
        #expect((mean - 1.0 / 30).magnitude < 0.001)
    }

    @Test func jitterDoesNotShow() throws {
        let conditions = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(15))
        let (early, _, start) = try call(conditions, .decoded)
        let (even, counted, _) = try call(conditions, .rendered)
        #expect(even.unevenness(after: start) < early.unevenness(after: start) / 2)
        #expect(even.shown.count >= early.shown.count - 8)
        // Squares tell unevenness too: a perfectly even stream has n times the square of its mean.
        let count = Double(counted.rendering.framesRendered - 1)
        let mean = counted.rendering.totalInterFrameDelay / count
        let variance = counted.rendering.totalSquaredInterFrameDelay / count - mean * mean
        #expect(variance.squareRoot() < 0.02)
        #expect(counted.freezes == 0)
    }

    /// Behind a repetition several pictures are overdue at once: the last of them is shown, and all are decoded.
    @Test func overduePicturesAreNotShownOneAfterAnother() throws {
        var conditions = NetworkConditions(delay: .milliseconds(60), jitter: .milliseconds(5))
        conditions.loss = 0.05
        let (sink, counted, start) = try call(conditions, .rendered, seconds: 40)
        let times = sink.shown.map(\.time).filter { $0 > start }
        let together = zip(times.dropFirst(), times).count { $0 - $1 < .milliseconds(1) }
        let missed = counted.rendering.framesMissed
        #expect(missed > 10 && counted.packetsRecovered > 10 && counted.framesUndecodable == 0)
        // One that was given out already is not taken back.
        #expect(together * 5 < missed, "\(together) of \(missed)")
        #expect(sink.shown.count <= counted.framesDecoded - missed + together + 2)
    }

    /// A quarter of a second there and back, and one packet in fifteen is lost: most pictures would be held up.
    @Test(arguments: [1, 2, 3] as [UInt64]) func repairsAreWaitedForWhereMostWouldBeLate(seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(120), jitter: .milliseconds(5))
        conditions.loss = 0.07
        let (sink, counted, start) = try call(conditions, .rendered, seed: seed, seconds: 40)
        #expect(counted.packetsRecovered > 10)
        #expect(counted.framesDropped == 0 && sink.unevenness(after: start) < 80)
        // Without repetitions it would be 25 ms.
        let wait = counted.rendering.jitterBufferTargetDelay / Double(counted.rendering.jitterBufferEmittedCount)
        #expect((0.05..<0.5).contains(wait))
    }

    /// On a short way they come a moment late, and all others in time.
    @Test(arguments: [1, 2, 3] as [UInt64]) func fewRepairsAreNotWaitedFor(seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(30), jitter: .milliseconds(5))
        conditions.loss = 0.05
        let (sink, counted, start) = try call(conditions, .rendered, seed: seed, seconds: 40)
        #expect(counted.packetsRecovered > 10)
        // A packet that is lost again on its way is later than anybody waits.
        #expect(counted.freezes <= 2, "\(counted.frozenMilliseconds) ms frozen")
        #expect(counted.framesDropped == 0)
        #expect(counted.playoutDelayMilliseconds < 60)
        #expect(sink.unevenness(after: start) < 40, "\(sink.unevenness(after: start))")
    }
}
