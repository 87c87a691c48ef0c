import RTCCore
import RTCWire
import SFUCore

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
