import RTCWire

extension Peer {
    /// Paces pictures and repetitions from now on; sound leaves at once. The receiver tells what its way bears (REMB), and
    /// whoever forwards to it probes for more.
    ///
    /// - Parameter pace: nil sends what waits, and all that follows, at once.
    package mutating func setSubscriberPace(_ pace: SubscriberPace?, now: Instant, into outbox: Outbox) {
        guard let pace else {
            flushPaced(now, outbox)
            pacing = nil
            return
        }
        if pacing == nil { pacing = SendPacing(rate: Double(pace.rate), isProbing: false) }
        pacing?.pacer.trim()
        pacing?.pacer.setRate(
            Double(pace.rate), isLimited: pace.isLimited, longestWait: pace.longestWait, now: now)
    }

    /// A stream ends: its last picture leaves before, with what little else waits.
    mutating func flushLast(_ now: Instant, _ outbox: Outbox) {
        guard let pacing, !pacing.isProbing, pacing.pacer.backlog <= Peer.longestFlush else { return }
        flushPaced(now, outbox)
    }

    /// What takes longer at the rate of the way stays paced, and is dropped with its stream.
    private static var longestFlush: Interval { .milliseconds(100) }

    /// Whether pictures are paced.
    package var isPaced: Bool { isPacing }

    /// How long what waits for the pacer would take at the rate of the way.
    package var pacingBacklog: Interval { pacing?.pacer.backlog ?? .zero }
}
