import NIOConcurrencyHelpers
import RTCWire

/// How many sessions addresses and participants have, and how often they begin some.
final class WHIPPlaces: Sendable {
    private struct State {
        var held: [String: Int] = [:]
        /// By address.
        var begun = TokenBuckets<String>(rate: 5, burst: 100)
    }

    /// What one session takes of the bounds; given back when it is let go.
    final class Place: Sendable {
        private let places: WHIPPlaces
        private let keys: [String]

        fileprivate init(_ places: WHIPPlaces, _ keys: [String]) {
            self.places = places
            self.keys = keys
        }

        deinit { places.giveBack(keys) }
    }

    private let state = NIOLockedValueBox(State())
    private let settings: CallServerConfiguration.Watching

    init(_ settings: CallServerConfiguration.Watching) { self.settings = settings }

    /// Whether that address may begin a session now.
    func mayBegin(_ address: String, now: Instant) -> Bool {
        state.withLockedValue { $0.begun.take(address, now: now) }
    }

    /// Nil where there are as many as there may be.
    ///
    /// - Parameter viewer: room and identity of one that only watches.
    func take(address: String, viewer: String?) -> Place? {
        let bounds =
            [("a " + address, settings.sessionsPerAddress)]
            + (viewer.map { [("v " + $0, settings.viewersPerParticipant)] } ?? [])
        let isFree = state.withLockedValue { state in
            guard bounds.allSatisfy({ state.held[$0.0, default: 0] < $0.1 }) else { return false }
            for (key, _) in bounds { state.held[key, default: 0] += 1 }
            return true
        }
        return isFree ? Place(self, bounds.map(\.0)) : nil
    }

    private func giveBack(_ keys: [String]) {
        state.withLockedValue { state in
            for key in keys {
                let left = (state.held[key] ?? 1) - 1
                state.held[key] = left > 0 ? left : nil
            }
        }
    }
}
