import RTCWire
import TransportSecurity

/// Where a media connection stands.
public enum SessionState: String, Sendable, Hashable {
    /// Nothing negotiated yet.
    case new
    /// ICE checks or the DTLS handshake are under way.
    case connecting
    /// Media flows.
    case connected
    /// The path is silent; media is still sent, and the connection may come back by itself.
    case disconnected
    /// No path is left. An offer with an ICE restart may find one.
    case failed
    /// Closed by us or by the other side.
    case closed
}

/// The loudness of one source over a short span.
public struct AudioLevelReport: Sendable, Hashable {
    /// The remote track's `trackID`, as its sender signalled it.
    public var trackID: String
    /// Level in -dBov, 0 (loudest) to 127 (silence), as in RFC 6464.
    public var level: Int
    /// When it was heard, on the monotonic clock.
    public var atNanoseconds: Int64

    /// A report about one track.
    public init(trackID: String, level: Int, atNanoseconds: Int64) {
        self.trackID = trackID
        self.level = level
        self.atNanoseconds = atNanoseconds
    }
}

/// What a media session tells its owner.
public enum MediaSessionEvent: Sendable {
    /// A local candidate to be signalled.
    case localCandidate(SessionCandidate)
    /// The session moved to another state.
    case stateChanged(SessionState)
    /// ICE and DTLS are done; the SRTP profile that was agreed on, in the name of its RFC.
    case connected(srtpProfile: String)
    /// A remote track was negotiated: media may arrive on it.
    case trackAdded(RemoteTrack)
    /// A remote track is gone from the negotiation.
    case trackRemoved(RemoteTrack)
    /// The levels of all remote audio tracks since the last report, one for each 20 ms, some 25 reports a second.
    case audioLevels([AudioLevelReport])
    /// A data channel can be used: the other side opened it, or ours became open.
    case dataChannelOpened(DataChannel)
    /// A message came on a data channel, complete; it may be empty.
    case dataChannelMessage(DataChannel, [UInt8], isText: Bool)
    /// A data channel is gone, by either side's wish or with the connection.
    case dataChannelClosed(DataChannel)
    /// An address of this machine that the session used is gone, and media goes on from another one. What else leads from
    /// there, a signalling connection most likely, is dead and is to be made anew.
    case localAddressLost(String)
    /// Only relayed candidates may be used, and no TURN server gives one; the text says why. Other servers may help, see
    /// `MediaSession.setICEServers`.
    case noRelay(String)
    /// A TURN server that was asked, or that media goes through, says nothing; it may still come back. The text names it.
    case relaySilent(String)
    /// The session can't go on, not even with an ICE restart; the text says why and whose fault it is.
    case failed(String)
}

/// How a media session is set up.
public struct MediaSessionConfiguration: Sendable {
    /// The local address whose UDP port media uses, `::` for all that this machine has, `0.0.0.0` for all of IPv4; `nil`
    /// chooses one that reaches `remoteHint`, or one of each family where that host has both.
    public var bindAddress: String?
    /// The signalling host: where no address is given, the one that routes to this host is used.
    public var remoteHint: String?
    /// True where the other side makes the offers: it then controls ICE (RFC 8445 section 6.1.1), and some peers insist.
    public var isAnswerer = false
    /// STUN and TURN servers to learn further candidates from; `MediaSession.setICEServers` adds others later.
    public var iceServers: [SessionICEServer] = []
    /// Which candidates may be used.
    public var iceTransportPolicy = ICETransportPolicy.all
    /// Whether connections are opened to TCP candidates of the other side where nothing came over UDP for half a second
    /// (RFC 6544).
    public var usesTCP = true
    /// A file of PEM certificates to believe besides the system's, for TURN over TLS.
    public var trustedRoots: String?
    /// Pins, a certificate of our own and which servers are asked, for the same; nil for `trustedRoots` alone.
    package var trust: TLSTrust?
    /// Which library speaks DTLS.
    public var dtlsBackend: DTLSBackendChoice = .own
    /// Which library seals and opens SRTP.
    public var srtpBackend: SRTPBackendChoice = .libcrypto
    /// The SRTP profiles offered and accepted, in order of preference; at least one.
    public var srtpProfiles: [SRTPProfileChoice] = SRTPProfileChoice.preferred
    /// End-to-end encryption of what is sent, and of received tracks whose `RemoteTrack.protection` says so; nil for none.
    public var frameEncryption: FrameEncryption?
    /// Seed of what identifies and numbers what we send (payload types, extension ids, SSRCs, first numbers): for runs that
    /// are to be repeated. `nil` draws from the system. Keys and passwords are never drawn from it.
    public var seed: UInt64?
    /// What is done with received media.
    public var reception = MediaReception.decoded
    /// Whether pictures of VP9, AV1 and H.264 are received besides those of VP8, which alone is sent. Without end-to-end
    /// encryption only: how it seals their frames nothing here knows.
    package var acceptsAllCodecs = false
    /// The jitter buffer's bounds and other playout settings are per session.
    public var playout = PlayoutSettings()
    /// Whether packets are paced, and encoders start at 300 kbit/s and follow what the path bears, where the other side tells
    /// what arrives; false sends pictures at once and at their encoding's own rate until the path has shown a limit.
    /// Sources that are compressed already are never paced.
    public var isPaced = true
    /// Where given, the address that media for a remote candidate is sent to instead, so that it passes through a relay.
    /// Our own candidates are then not signalled: the other side learns the relay's address from our checks, and finds
    /// no way past it.
    package var remoteAddressMap: (@Sendable (TransportAddress) -> TransportAddress)?

    /// The defaults suit a call through a server on any host.
    public init() {}
}

/// How received media is played out.
public struct PlayoutSettings: Sendable, Hashable {
    /// Least and most milliseconds between arrival and playout.
    public var minimumDelayMilliseconds = 20
    /// The most that the adaptive buffer waits.
    public var maximumDelayMilliseconds = 1000
    /// When pictures are given to sinks.
    public var video = VideoRelease.decoded

    /// Sound after 20 ms to 1 s, pictures at once.
    public init() {}
}
