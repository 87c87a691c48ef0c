import RTCWire

/// One WebRTC connection as a value: ICE, DTLS, SRTP and the media streams over one 5-tuple, without socket, clock or task.
///
/// The driver hands in datagrams and the time; what is to be sent and what has happened is put into the outbox it passes.
/// After every batch it calls `advance(to:into:)` where `nextDeadline` has come (requests for lost packets leave there,
/// one message for the whole batch), and sets its one timer to the new `nextDeadline`.
package struct Peer: ~Copyable {
    package let configuration: PeerConfiguration
    /// What the connection as a whole has counted.
    package internal(set) var statistics = PeerStatistics()
    package internal(set) var state = PeerState.new
    /// The pair of addresses that media takes; nil before ICE chose one.
    package internal(set) var selectedPair: (local: TransportAddress, remote: TransportAddress)?
    /// Which way datagrams to it take.
    var selectedPath: UInt8 = 0

    var ice: ICEAgent
    var dtls: DTLSTransport?
    var dtlsDeadline: Instant?
    var srtp: SRTPSession?
    /// The profile of `srtp`; nil before the keys stand.
    var srtpProfile: SRTPProfile?
    var receiving: ReceiveStreams
    var sending = SendStreams()
    var data: DataChannelTransport
    var clock = NTPClock()
    var roundTrip = RoundTripTime()
    /// What we call ourselves in RTCP while we send no stream.
    let feedbackSSRC: UInt32
    var random: PeerRandom
    /// The latest time that we were told.
    var latest: Instant
    /// Arrivals of what we receive, and fates of what we send, by transport sequence number.
    var arrivals: ArrivalRecorder
    var sentPackets = SentPackets()
    var bandwidth: BandwidthEstimator
    /// What we make of packets that say when they left.
    var receiverEstimator = ReceiverEstimator()
    /// The same of what we forward, from what the other side tells of it; nil before it has.
    var forwardEstimator: ForwardEstimator?
    /// When what we send leaves; nil where all of it leaves at once.
    var pacing: SendPacing?
    /// The bitrate of the last `targetBitrate` event.
    var announcedBitrate = 0
    var nextReport: Instant = .distantFuture
    var dtlsStarted = false
    var hasConnected = false
    /// What ended the connection for good, DTLS's or the library's fault.
    var dtlsFailure: PeerFailure?
    /// Kept between calls, so that asking for lost packets doesn't allocate.
    var lossScratch: [UInt16] = []
    private let lent = AddressOnly()

    /// A peer that waits for `setRemote`, candidates and streams.
    package init(configuration: PeerConfiguration, now: Instant) {
        self.configuration = configuration
        latest = now
        arrivals = ArrivalRecorder(configuration.rtcp.transportFeedback)
        random = PeerRandom(seed: configuration.seed)
        feedbackSSRC = UInt32.random(in: 1 ... .max, using: &random)
        receiving = ReceiveStreams(limits: configuration.streams)
        data = DataChannelTransport(configuration: Peer.sctpConfiguration(configuration))
        bandwidth = BandwidthEstimator(configuration.bandwidth)
        ice = ICEAgent(configuration: Peer.iceConfiguration(configuration))
    }

    /// Our certificate's fingerprint, for the description.
    package var localFingerprint: DTLSFingerprint { configuration.certificate.fingerprint }

    /// Says how our time line lies to NTP time: nanoseconds since 1900 are `instant.nanoseconds` plus this.
    package mutating func setClock(ntpOffset: Interval) { clock.offset = ntpOffset }

    /// Smoothed round-trip time, by RTCP where reports tell it, else by connectivity checks; nil until known.
    package var roundTripTime: Interval? { roundTrip.smoothed ?? pathRoundTripTime }

    /// Round-trip time by connectivity checks.
    var pathRoundTripTime: Interval? { ice.selectedRoundTripTime }

    /// Media may be sent: the keys stand and ICE has a pair.
    package var isConnected: Bool { state == .connected || state == .disconnected }

    /// Counters of SRTP; nil before the keys stand.
    package var srtpStatistics: SRTPStatistics? {
        switch srtp {
        case .some(let session): session.statistics
        case .none: nil
        }
    }

    /// Counters of one incoming source, by its primary SSRC.
    package func receiveStatistics(ssrc: UInt32) -> StreamStatistics? {
        receiving.index(ssrc: ssrc).map { receiving.streams[$0].snapshot }
    }

    /// Primary SSRCs of all incoming sources, in order of appearance.
    package var receivedSSRCs: [UInt32] { receiving.streams.map(\.ssrc) }

    /// Counters of one outgoing stream, by its primary SSRC.
    package func sendStatistics(ssrc: UInt32) -> StreamStatistics? {
        sending.index(ssrc: ssrc).map { sending.streams[$0].statistics }
    }

    /// Takes in what the descriptions say of incoming media; replaces what was said before.
    package mutating func setReceiveMap(_ map: ReceiveMap) { receiving.setMap(map) }

    /// Where media goes now; nil while nothing may be sent.
    var mediaDestination: TransportAddress? {
        guard srtpProfile != nil, state != .closed, state != .failed else { return nil }
        return selectedPair?.remote
    }
}
