import RTCCore
import RTCWire

/// The media of one agent as a value: negotiation, the peer, what is sent and what is received.
///
/// It has no socket and reads no clock. Datagrams and time go in; datagrams, events and jobs for codecs come out into the
/// outbox that is passed in, and what came of a job goes back in with `take`. Two drivers run it: `SocketSession` on an
/// event loop with workers, and `SimulatedSession` in virtual time, where jobs run at once.
package struct SessionMachine: ~Copyable {
    package var peer: Peer
    var negotiator: Negotiator
    let settings: SessionSettings
    var sent = SentTracks()
    var received = ReceivedTracks()
    var playout = PlayoutClock()
    var candidates = CandidateLedger()
    /// The generation of the other side's transport that the peer knows.
    var appliedGeneration = -1
    var srtpProfile: String?
    var setup = ConnectionSetup()
    /// Of what identifies our streams.
    var random: PeerRandom
    /// What the peer was told that the encoders send at most; nil where it doesn't pace.
    var pacedBitrate: Int?
    var fall = RateFall()
    /// Nothing that is sent reaches the other side: pictures are held back.
    var isAway = false
    /// How many tracks there have been.
    private var serials = 0

    /// Remote sources that are received at the same time; packets of further ones are counted and dropped.
    static let maximumSources = 1_024

    /// A session that awaits its first description.
    ///
    /// - Parameters:
    ///   - certificate: nil makes one.
    ///   - pictures: the memory of pictures that come in, which many sessions may share.
    package init(
        _ configuration: MediaSessionConfiguration, certificate: DTLSCertificate? = nil,
        pictures: VideoFramePool = VideoFramePool(), now: Instant
    ) throws {
        let certificate = try certificate ?? DTLSCertificate.generate()
        let credentials = ICECredentials.random()
        let peer = try SessionMachine.peer(configuration, certificate, credentials)
        self.init(
            configuration, peer,
            NegotiatorConfiguration(credentials: credentials, fingerprint: certificate.fingerprint),
            pictures, now)
    }

    /// Nothing throws once a property has its value: Swift 6.2 ends such a value wrongly.
    private init(
        _ configuration: MediaSessionConfiguration, _ peer: PeerConfiguration, _ negotiation: NegotiatorConfiguration,
        _ pictures: VideoFramePool, _ now: Instant
    ) {
        // Not the peer's own draws over again.
        random = PeerRandom(seed: configuration.seed.map { $0 &* 0x9e37_79b9_7f4a_7c15 ^ 0x5e55 })
        self.peer = Peer(configuration: peer, now: now)
        var negotiation = negotiation
        negotiation.congestionFeedback = .transportWide
        // Numbers drawn at random show at once whoever relies on the usual ones, wherever that is wrong.
        negotiation.codecs = [.opus, .red, .vp8]
        if configuration.acceptsAllCodecs {
            negotiation.codecs += [.vp9(), .av1, .h264(), .h264(packetizationMode: 0)]
        }
        negotiation.videoExtensions = [.mid, .rid, .repairedRid, .absCaptureTime, .playoutDelay]
        negotiation.numbering = .random(seed: configuration.seed ?? .random(in: 0...UInt64.max))
        negotiation.sessionID = .random(in: 1...(1 << 62), using: &random)
        negotiator = Negotiator(configuration: negotiation)
        settings = SessionSettings(configuration, pictures: pictures)
    }

    private static func peer(
        _ configuration: MediaSessionConfiguration, _ certificate: DTLSCertificate, _ credentials: ICECredentials
    ) throws -> PeerConfiguration {
        var peer = PeerConfiguration(
            iceRole: configuration.isAnswerer ? .controlled : .controlling, certificate: certificate)
        peer.dtlsBackend = configuration.dtlsBackend.backend
        try peer.dtlsBackend.check()
        peer.srtpBackend = configuration.srtpBackend.backend
        peer.srtpProfiles = configuration.srtpProfiles.map(\.profile)
        peer.seed = configuration.seed
        // The server names what it sends; a whole busy room must find a place.
        peer.streams.maximumReceiveStreams = maximumSources
        peer.iceCredentials = credentials
        return peer
    }

    mutating func takeNumber(_ line: Int) -> TrackNumber {
        serials += 1
        return TrackNumber(line: line, serial: serials)
    }

    /// Says goodbye to the other side. Nothing is sent, received or played any more.
    package mutating func close(now: Instant, into out: SessionOutbox) {
        playout.stop()
        sent.stopAll()
        for line in received.lines { endReceiver(line, now: now) }
        peer.close(now: now, into: out.network)
        takeEvents(nil, now: now, into: out)
    }
}

/// What a session was made with.
struct SessionSettings {
    let playout: PlayoutSettings
    let reception: MediaReception
    let frameEncryption: FrameEncryption?
    /// Whether what is sent is paced, and encoders start low.
    let isPaced: Bool
    let remoteAddressMap: (@Sendable (TransportAddress) -> TransportAddress)?
    /// The memory of pictures that come in.
    let pictures: VideoFramePool

    init(_ configuration: MediaSessionConfiguration, pictures: VideoFramePool) {
        self.pictures = pictures
        playout = configuration.playout
        reception = configuration.reception
        frameEncryption = configuration.frameEncryption
        isPaced = configuration.isPaced
        remoteAddressMap = configuration.remoteAddressMap
    }
}
