import LiveKitProtocol
import MediaCore

/// Where the media connections stand. A value.
struct MediaPaths: Sendable, Hashable {
    /// Which connection.
    enum Side: Sendable, Hashable {
        case publisher
        case subscriber
    }

    private(set) var publisher = SessionState.new
    private(set) var subscriber = SessionState.new
    /// One connection does both.
    let isSingle: Bool
    /// With two connections: the one that the call depends on from the start.
    let primary: Side
    /// An offer was made on it.
    var isPublisherUsed: Bool
    /// Since when each side has been silent, on the monotonic clock.
    private var silentSince: [Side: MediaTime] = [:]

    init(isSingle: Bool, isSubscriberPrimary: Bool) {
        self.isSingle = isSingle
        primary = !isSingle && isSubscriberPrimary ? .subscriber : .publisher
        isPublisherUsed = isSingle
    }

    init(_ joined: SessionJoiner.Joined) {
        self.init(isSingle: joined.subscriber == nil, isSubscriberPrimary: joined.response.subscriberPrimary)
    }

    /// All connections that matter are up.
    var stand: Bool { needed.allSatisfy { self[$0] == .connected } }

    private var needed: [Side] {
        var sides: [Side] = [primary]
        if isPublisherUsed, primary != .publisher { sides.append(.publisher) }
        return sides
    }

    subscript(side: Side) -> SessionState { side == .publisher ? publisher : subscriber }

    /// What a change of state means.
    enum Consequence: Sendable, Hashable {
        case none
        /// The path is silent since just now; it may come back by itself.
        case impaired
        /// It came back by itself.
        case recovered
        /// It does not come back by itself.
        case lost
        /// The other side has ended it on purpose.
        case ended
    }

    mutating func update(_ side: Side, _ state: SessionState, now: MediaTime) -> Consequence {
        if side == .publisher { publisher = state } else { subscriber = state }
        switch state {
        // Who ends one connection on purpose ends both.
        case .disconnected where isEnded, .failed where isEnded: return .none
        case .disconnected:
            guard silentSince[side] == nil else { return .none }
            silentSince[side] = now
            return .impaired
        case .connected: return silentSince.removeValue(forKey: side) == nil ? .none : .recovered
        case .failed: return .lost
        case .closed: return .ended
        case .new, .connecting: return .none
        }
    }

    /// Whether a side has been silent since that moment without a break.
    func isSilent(_ side: Side, since time: MediaTime) -> Bool { silentSince[side] == time }

    /// The other side has ended a connection on purpose.
    var isEnded: Bool { publisher == .closed || subscriber == .closed }

    /// Any side is silent.
    var isImpaired: Bool { !silentSince.isEmpty }
}
