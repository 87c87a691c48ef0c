import CallModel
import NIOConcurrencyHelpers
import RTCTransport

/// How often one person may ring and say something to the exchange. Each has their own measure: whoever calls without end
/// keeps nobody else from calling.
final class RingPace: Sendable {
    private struct Measures {
        var calls = TokenBuckets<String>(rate: 1, burst: 20)
        var commands = TokenBuckets<String>(rate: 50, burst: 200)
    }

    private let measures = NIOLockedValueBox(Measures())

    func admits(_ command: RingCommand, of person: String) -> Bool {
        let now = MonotonicClock.now()
        return measures.withLockedValue { measures in
            if case .place = command { return measures.calls.take(person, now: now) }
            return measures.commands.take(person, now: now)
        }
    }
}
