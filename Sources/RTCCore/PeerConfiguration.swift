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
    /// What is sent is forwarded: where the other side tells when packets came, it is judged as the other side would judge it
    /// itself, in a `receiverEstimate` event.
    package var forwards = false
    /// Who names itself how in RTCP, and when.
    package var rtcp = RTCPStyle()
    /// Timing of the streams; the default is what WebRTC endpoints do.
    package var streams = StreamLimits()

    package init(iceRole: ICERole, certificate: DTLSCertificate) {
        self.iceRole = iceRole
        self.certificate = certificate
    }
}

/// Which moment `Peer.nextDeadline` waits for, and what for.
package struct PeerDeadline: Sendable, Hashable {
    package enum Reason: UInt8, Sendable, Hashable {
        case ice, dtls, nack, keyFrameRequest, report, transportFeedback, receiverEstimate, data, pacing
    }
    package var instant: Instant
    package var reason: Reason

    package init(instant: Instant, reason: Reason) {
        self.instant = instant
        self.reason = reason
    }
}
