import RTCWire

/// What a `Peer` is made from.
package struct PeerConfiguration: Sendable {
    /// Controlling (the offerer, or the full agent against a lite one) or controlled.
    package var iceRole: ICERole
    /// Our ufrag and password; drawn at random where nil.
    package var iceCredentials: ICECredentials?
    /// Our certificate; several peers may share one.
    package var certificate: DTLSCertificate
    /// In order of preference.
    package var srtpProfiles: [SRTPProfile] = SRTPProfile.allCases
    /// Which library speaks DTLS.
    package var dtlsBackend: DTLSBackend = .own
    /// Which library seals and opens SRTP.
    package var srtpBackend: SRTPBackend = .libcrypto
    /// Seed of sequence numbers, SSRCs and ICE's draws; nil takes the system's generator. Never of keys.
    package var seed: UInt64?
    /// Largest datagram we send, with SRTP tag and header extensions, in bytes.
    package var maximumDatagram = 1200
    /// Canonical name in SDES, at most 255 bytes (RFC 7022). A stream's own `cname` wins for that stream.
    package var cname = "-"
    /// Feedback may go out alone, without a report before it (RFC 5506, `a=rtcp-rsize`).
    package var reducedSizeRTCP = true
    /// Bounds of what the estimator gives for streams with transport sequence numbers.
    package var bandwidth = BandwidthEstimator.Configuration()
    /// Who names itself how in RTCP, and when.
    package var rtcp = RTCPStyle()
    /// Timing of the streams; the default is what WebRTC endpoints do.
    package var streams = StreamLimits()

    package init(iceRole: ICERole, certificate: DTLSCertificate) {
        self.iceRole = iceRole
        self.certificate = certificate
    }
}

/// Bounds and intervals of the streams.
package struct StreamLimits: Sendable {
    /// Receive streams kept at once; packets of further SSRCs are counted and dropped.
    package var maximumReceiveStreams = 256
    /// Of those, the ones on one line that no description names: a simulcast has three, and may begin anew.
    package var maximumLearnedStreams = 8
    /// Sequence numbers a stream will ask for at once; beyond it the oldest are given up.
    package var maximumLosses = 512
    /// How often one packet is asked for.
    package var maximumNACKs = 10
    /// Least time between two requests for the same packet.
    package var minimumNACKInterval = Interval.milliseconds(20)
    /// Round-trip time assumed before one has been measured.
    package var initialRoundTripTime = Interval.milliseconds(100)
    /// Longest time a gap waits for reordered packets before it is asked for; 0 while nothing arrived out of order.
    package var maximumReorderDelay = Interval.milliseconds(20)
    /// Least time that every gap waits, whether or not anything arrived out of order.
    package var minimumReorderDelay = Interval.zero
    /// Time between two reports (SR, RR).
    package var reportInterval = Interval.seconds(1)
    /// Time between two key-frame requests for one producer.
    package var keyFrameRequestInterval = Interval.milliseconds(500)
    /// Packets older than this are not sent again.
    package var cacheAge = Interval.seconds(3)

    package init() {}
}

/// Which moment `Peer.nextDeadline` waits for, and what for.
package struct PeerDeadline: Sendable, Hashable {
    package enum Reason: UInt8, Sendable, Hashable {
        case ice, dtls, nack, keyFrameRequest, report, transportFeedback, data
    }
    package var instant: Instant
    package var reason: Reason

    package init(instant: Instant, reason: Reason) {
        self.instant = instant
        self.reason = reason
    }
}
