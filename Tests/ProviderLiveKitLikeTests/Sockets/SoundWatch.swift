import MediaCore
import Synchronization

/// Counts sound that arrives, and the longest silence in between.
final class SoundWatch: AudioSink {
    private struct State {
        var last: MediaTime?
        var longest: Int64 = 0
    }

    private let meter = AudioMeter()
    private let state = Mutex(State())
    private let arrivals: AsyncStream<Void>
    private let arrival: AsyncStream<Void>.Continuation

    init() { (arrivals, arrival) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    func receive(_ frame: AudioFrame) {
        meter.receive(frame)
        let now = MediaTime.now
        state.withLock { state in
            if let last = state.last { state.longest = max(state.longest, now.nanoseconds - last.nanoseconds) }
            state.last = now
        }
        arrival.yield()
    }

    /// The longest time between two frames.
    var longestGapMilliseconds: Int64 { state.withLock { $0.longest / 1_000_000 } }

    /// Seconds of sound so far.
    var duration: Double { meter.measurement.duration }

    /// The strongest frequency so far.
    var hertz: Double { meter.measurement.dominantHz ?? 0 }

    /// Waits until so much sound has come in all.
    func seconds(_ wanted: Double) async {
        for await _ in arrivals where meter.measurement.duration >= wanted { return }
    }
}
