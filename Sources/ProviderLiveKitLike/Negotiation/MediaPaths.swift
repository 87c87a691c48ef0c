import LiveKitProtocol
import MediaCore

/// Where the media connections stand. A value.
struct MediaPaths: Sendable, Hashable {
    typealias Side = MediaSide

    private(set) var publisher = SessionState.new
    private(set) var subscriber = SessionState.new
    /// One connection does both.
    let isSingle: Bool
    /// With two connections: the one that the call depends on from the start.
    let primary: Side
    /// An offer was made on it.
    var isPublisherUsed: Bool
    /// Since when each side has been silent, or closed by the server.
    private var silentSince: [Side: MediaTime] = [:]
    private var closedSince: [Side: MediaTime] = [:]
    /// Sides whose time was up, and said to be.
    private var expired: Set<Side> = []

    init(isSingle: Bool, isSubscriberPrimary: Bool) {
        self.isSingle = isSingle
        primary = !isSingle && isSubscriberPrimary ? .subscriber : .publisher
        isPublisherUsed = isSingle
    }

    init(_ joined: JoinedSession) {
        self.init(isSingle: joined.isSingle, isSubscriberPrimary: joined.response.subscriberPrimary)
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
        case .connected:
            expired.remove(side)
            return silentSince.removeValue(forKey: side) == nil ? .none : .recovered
        case .failed: return .lost
        case .closed:
            closedSince[side] = now
            expired.remove(side)
            return .ended
        case .new, .connecting: return .none
        }
    }

    /// The other side has ended a connection on purpose.
    var isEnded: Bool { publisher == .closed || subscriber == .closed }

    /// Any side is silent.
    var isImpaired: Bool { !silentSince.isEmpty }

    // MARK: Time

    /// When each side has been silent, or without a word why it was closed, for too long.
    private func deadlines(_ timeouts: SessionTimeouts) -> [(side: Side, time: MediaTime)] {
        let waits =
            isEnded
            ? closedSince.mapValues { $0.advanced(seconds: timeouts.reason) }
            : silentSince.mapValues { $0.advanced(seconds: timeouts.impairment) }
        return waits.filter { !expired.contains($0.key) }.map { ($0.key, $0.value) }
    }

    /// The next time that a side is given up.
    func deadline(_ timeouts: SessionTimeouts) -> MediaTime? {
        isEnded || isImpaired ? deadlines(timeouts).lazy.map(\.time).min() : nil
    }

    /// The sides that are given up now, each once, and why.
    mutating func expire(_ timeouts: SessionTimeouts, now: MediaTime) -> [(side: Side, why: String)] {
        let why =
            isEnded ? "the server closed the media connection" : "the media path has been silent for too long"
        let sides = deadlines(timeouts).filter { $0.time <= now }.map(\.side)
        expired.formUnion(sides)
        return sides.map { ($0, why) }
    }
}
