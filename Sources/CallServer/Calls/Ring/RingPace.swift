import CallModel
import NIOConcurrencyHelpers
import RTCWire

/// How often one person may ring and say something to the exchange. Each has their own measure: whoever calls without end
/// keeps nobody else from calling.
final class RingPace: Sendable {
    private struct Measures {
        var calls = TokenBuckets<String>(rate: 1, burst: 20)
        var commands = TokenBuckets<String>(rate: 50, burst: 200)
    }

    private let measures = NIOLockedValueBox(Measures())
    private let clock: @Sendable () -> Instant

    init(clock: @escaping @Sendable () -> Instant) { self.clock = clock }

    func admits(_ command: RingCommand, of person: String) -> Bool {
        guard case .place = command else { return admitsAnything(of: person) }
        let now = clock()
        return measures.withLockedValue { $0.calls.take(person, now: now) }
    }

    /// For what is no call: other commands, and devices that come.
    func admitsAnything(of person: String) -> Bool {
        let now = clock()
        return measures.withLockedValue { $0.commands.take(person, now: now) }
    }
}
