import LoadResults
import Synchronization

/// Times that all participants of a load test record: of the run, and of the present second.
final class TimeMeter: Sendable {
    private struct State {
        var run = LatencyHistogram()
        var second = LatencyHistogram(significantDigits: .two)
    }

    private let state = Mutex(State())

    func record(nanoseconds: Int64) {
        state.withLock {
            $0.run.record(nanoseconds: nanoseconds)
            $0.second.record(nanoseconds: nanoseconds)
        }
    }

    func record(milliseconds: Double) { record(nanoseconds: Int64(milliseconds * 1e6)) }

    /// Of the whole run.
    var snapshot: HistogramSnapshot { state.withLock { $0.run.snapshot } }

    /// Of the time since the last call; nil where nothing was recorded.
    func takeSecond() -> HistogramSnapshot? {
        state.withLock { state in
            guard state.second.count > 0 else { return nil }
            defer { state.second.reset() }
            return state.second.snapshot
        }
    }
}

/// What all participants of a load test record together.
final class LoadMeters: Sendable {
    let join = TimeMeter()
    let firstAudio = TimeMeter()
    let firstVideo = TimeMeter()
    let latency = TimeMeter()
    let roundTripTime = TimeMeter()
    let calls = TimeMeter()
    private let happened = Mutex(ParticipantCounts())
    private let sampled = Mutex(CardCounts())

    /// What became of participants since the last call: joins, failures, departures, losses.
    func takeCounts() -> ParticipantCounts {
        happened.withLock { counts in
            defer { counts = ParticipantCounts() }
            return counts
        }
    }

    func note(_ change: (inout ParticipantCounts) -> Void) { happened.withLock { change(&$0) } }

    /// What those saw who decode.
    var cards: CardCounts { sampled.withLock { $0 } }

    func noteCards(_ change: (inout CardCounts) -> Void) { sampled.withLock { change(&$0) } }
}

/// Pictures that were decoded and read.
struct CardCounts: Sendable, Equatable {
    var decoded = 0
    /// The card shows what the frame's stamp says.
    var right = 0
    /// It shows another picture, or can't be read.
    var wrong = 0
}
