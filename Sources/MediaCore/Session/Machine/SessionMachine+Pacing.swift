import RTCCore
import RTCWire

/// How the encoders and the peer's pacer are kept together.
extension SessionMachine {
    /// What waits for longer than this holds up the pictures that are not made yet.
    private static let longestWait = Interval.milliseconds(100)

    /// What would take longer than this isn't worth sending any more.
    private static let longestBacklog = Interval.milliseconds(500)

    /// Finds out whether another picture may be made: not where too much waits to be sent, and not while the other side is away.
    /// Sound goes on: the first feedback on it tells that the other side is back, and then pictures begin with a key frame.
    ///
    /// What was sent into a long outage is worse than useless when it ends: receivers would ask for it, and libwebrtc's may take
    /// seconds to find its clock again from pictures that come late and can't be shown.
    mutating func updateHold(now: Instant) {
        let wasAway = isAway
        isAway = pacedBitrate != nil && peer.isAway(now: now)
        if wasAway, !isAway {
            peer.beginAnew(now: now)
            sent.beginAnew(now: now)
        }
        sent.isHeldUp = isAway || pacedBitrate != nil && peer.pacingWait > SessionMachine.longestWait
    }

    /// A path that has suddenly got narrow isn't filled with what was made for a wide one: pictures begin anew, as small as it
    /// bears.
    mutating func dropBacklog(now: Instant) {
        let limit = sent.isTooLarge ? nil : SessionMachine.longestBacklog
        guard peer.dropBacklog(longerThan: limit, now: now) else { return }
        fall.restart()
        sent.beginAnew(now: now)
    }

    /// Tells the peer what the encoders want, where that has changed, and them what the path bears.
    ///
    /// Sources that are compressed already have the rate that they have: with one of them nothing is paced.
    mutating func updatePacing(now: Instant, into out: SessionOutbox) {
        let wanted = settings.isPaced && peer.canPace ? sent.wantedBitrate : nil
        guard wanted != pacedBitrate else { return }
        pacedBitrate = wanted
        sent.isPaced = wanted != nil
        peer.setPacing(wanted: wanted, now: now, into: out.network)
        shareOut(now: now)
    }

    /// Gives each track what it has of the path.
    mutating func shareOut(now: Instant) {
        sent.share(pacedBitrate == nil && !peer.isLimited ? nil : peer.encodedBitrate(now: now))
    }

    /// Feedback has come: shares anew where repetitions take more of the path than before, or less.
    mutating func followRepetitions(now: Instant) {
        guard let shared = sent.sharedBitrate else { return }
        let change = abs(peer.encodedBitrate(now: now) - shared)
        if change * 20 >= shared { shareOut(now: now) }
    }
}
