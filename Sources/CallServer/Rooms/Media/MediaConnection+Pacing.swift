import RTCCore
import RTCWire
import SFUCore

/// When what a newcomer begins with is no longer paced, where nobody estimates its way, and how much that is. A value.
struct JoinPacing {
    /// What came in one moment has left long before.
    private static let length = Interval.milliseconds(500)
    /// In seconds: when estimates are held against what has been sent since then. A receiver's are about the second before, so
    /// that they are about the same.
    private static let early = 0.2...1.0

    private var began: Instant?
    /// When the latest pictures began, on a way that nobody has told anything of, and the bytes of all that had been sent before.
    private var first: (at: Instant, bytes: Int)?
    /// What the client has said of its way since then, in bit/s; nil for nothing.
    private(set) var estimate: Int?
    /// Packets that it has asked for again since then.
    private(set) var missing = 0

    mutating func note(estimate: Int) { self.estimate = estimate }
    mutating func note(missing count: Int) { missing += count }

    mutating func begin(bytes: Int, now: Instant) {
        began = now
        first = (now, bytes)
        (estimate, missing) = (nil, 0)
    }

    /// What has been sent since then, in bit/s; nil where that is long ago, or just now.
    func average(_ bytes: @autoclosure () -> Int, now: Instant) -> Int? {
        guard let first, JoinPacing.early.contains((now - first.at).seconds) else { return nil }
        return Int(Double(max(0, bytes() - first.bytes) * 8) / (now - first.at).seconds)
    }

    /// Whether it is over, or never was.
    mutating func hasEnded(now: Instant) -> Bool {
        guard let began, now - began < JoinPacing.length else {
            self.began = nil
            return true
        }
        return false
    }
}

/// Pictures leave for a subscriber as fast as its way bears, and not faster than that sound would wait behind them.
extension MediaConnection {
    /// As bare as a livekit-server, the server sends at once.
    private var isPaced: Bool { settings.plane == .standard }

    /// Video begins: of a way that nobody has told anything of, it is paced for a moment.
    func paceJoin() {
        guard isPaced, streams.pace == nil else { return }
        streams.joining.begin(bytes: picturesSent, now: flow.now)
        guard !flow.peer.isPaced else { return }
        flow.perform { peer, outbox, now in peer.setSubscriberPace(.joining, now: now, into: outbox) }
    }

    /// Brings the pace in line with what is known of the way.
    ///
    /// - Parameter cost: of what is allocated, in bit/s.
    func pace(cost: Int, _ now: Instant) {
        guard isPaced else { return }
        let pace = streams.capacity.pace(cost: cost, beside: Int(streams.beside.bitrate), now: now)
        guard pace != nil || streams.joining.hasEnded(now: now) else { return }
        guard pace != streams.pace || flow.peer.isPaced else { return }
        streams.pace = pace
        flow.perform { peer, outbox, now in peer.setSubscriberPace(pace, now: now, into: outbox) }
    }
}
