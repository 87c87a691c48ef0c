/// What a session has counted so far. All counts begin with the session.
public struct SessionStatistics: Sendable {
    /// Tracks that we send.
    public var senders: [SenderStatistics] = []
    /// Tracks that we receive.
    public var receivers: [ReceiverStatistics] = []
    /// Tracks that we received and that have ended, the oldest first; of very many, the latest 1,024.
    public private(set) var endedReceivers: [ReceiverStatistics] = []
    /// The agreed SRTP profile, nil before the handshake.
    public var srtpProfile: String?
    /// UDP payload bytes and datagrams, both directions.
    public var bytesSent = 0
    /// UDP payload bytes received.
    public var bytesReceived = 0
    /// Datagrams sent.
    public var datagramsSent = 0
    /// Datagrams received.
    public var datagramsReceived = 0
    /// Datagrams that the kernel dropped because our socket buffer was full: our fault, not the network's.
    public var receiveBufferDrops = 0
    /// How late the timers ran that media is sent and played by: our fault or the machine's, not the network's.
    public var lateness = WakeLateness()
    /// Round-trip time by RTCP reports in milliseconds, nil until known.
    public var roundTripMilliseconds: Double?
    /// The chosen pair of addresses, as text; nil before, and once either side has closed the connection.
    public var selectedPair: String?
    /// When ICE and DTLS were done.
    public var setup = ConnectionSetup()
    /// Of which types the two candidates are (`host`, `srflx`, `prflx`, `relay`), nil until there is a pair.
    public var localCandidateType: String?
    /// The other side's.
    public var remoteCandidateType: String?
    /// What carries media between the two, `udp` or `tcp`; nil until there is a pair.
    public var transportProtocol: String?
    /// Payload bytes that went through a TURN server.
    public var relayedBytesSent = 0
    /// Payload bytes that came through a TURN server.
    public var relayedBytesReceived = 0
    /// The connections themselves, as webrtc-stats has them.
    var connections: [ConnectionDetail] = []
    /// TURN servers that a session which may use relays only has asked and that have given none yet.
    public var awaitedRelays: [String] = []

    /// Nothing counted.
    public init() {}

    /// Adds another session of the same call: one that we send on and one that we receive on count as one.
    public mutating func add(_ other: SessionStatistics) {
        senders += other.senders
        receivers += other.receivers
        addEnded(other.endedReceivers)
        srtpProfile = srtpProfile ?? other.srtpProfile
        bytesSent += other.bytesSent
        bytesReceived += other.bytesReceived
        datagramsSent += other.datagramsSent
        datagramsReceived += other.datagramsReceived
        receiveBufferDrops += other.receiveBufferDrops
        lateness.add(other.lateness)
        roundTripMilliseconds = roundTripMilliseconds ?? other.roundTripMilliseconds
        selectedPair = selectedPair ?? other.selectedPair
        setup.add(other.setup)
        localCandidateType = localCandidateType ?? other.localCandidateType
        remoteCandidateType = remoteCandidateType ?? other.remoteCandidateType
        transportProtocol = transportProtocol ?? other.transportProtocol
        relayedBytesSent += other.relayedBytesSent
        relayedBytesReceived += other.relayedBytesReceived
        connections += other.connections
        awaitedRelays += other.awaitedRelays.filter { !awaitedRelays.contains($0) }
    }

    /// Adds tracks that have ended.
    public mutating func addEnded(_ receivers: [ReceiverStatistics]) {
        endedReceivers += receivers
        endedReceivers.removeFirst(max(0, endedReceivers.count - SessionStatistics.endedLimit))
    }

    private static let endedLimit = 1024
}

/// Counters of one sent track.
public struct SenderStatistics: Sendable {
    /// The track id that was signalled.
    public var trackID = ""
    /// Audio or video.
    public var kind = MediaKind.audio
    /// The codec's name, `opus` or `VP8`.
    public var codec = ""
    /// RTP packets, retransmissions not counted.
    public var packetsSent = 0
    /// Payload bytes of those.
    public var bytesSent = 0
    /// Frames handed to the network.
    public var framesSent = 0
    /// Frames that were due but not made, because the machine was too slow.
    public var framesSkipped = 0
    /// Packets sent again on request.
    public var packetsRetransmitted = 0
    /// Key frames that the other side asked for.
    public var keyFrameRequests = 0
    /// The number of the last frame sent, where the source numbers its frames, and when it was sent (ns, monotonic).
    public var lastFrameNumber: UInt32?
    /// The streams of a video track, the largest first; a track without simulcast has one. The counters above are sums,
    /// but for `framesSent`, which is that of the busiest stream.
    public var layers: [LayerStatistics] = []
    /// What webrtc-stats tells of it beyond that.
    var detail = TrackDetail()
    /// Of its sound, the last frame's level as RFC 6464 has it, 0 (loudest) ... 127; nil for pictures and before the first.
    var soundLevel: UInt8?

    /// Nothing counted.
    public init() {}
}

/// Counters of one stream of a sent video track.
public struct LayerStatistics: Sendable, Hashable {
    /// The stream's name in the description; empty without simulcast.
    public var rid = ""
    /// Whether it is sent at present.
    public var isActive = true
    /// Width of the last picture sent.
    public var width = 0
    /// Height of the last picture sent.
    public var height = 0
    /// RTP packets, retransmissions not counted.
    public var packetsSent = 0
    /// Payload bytes of those.
    public var bytesSent = 0
    /// Pictures handed to the network.
    public var framesSent = 0
    /// Key frames among them.
    public var keyFramesSent = 0
    /// Key frames that the other side asked for.
    public var keyFrameRequests = 0
    /// Packets sent again on request.
    public var packetsRetransmitted = 0

    /// Nothing counted.
    public init() {}
}

/// Counters of one received track.
public struct ReceiverStatistics: Sendable {
    /// The track id that was signalled.
    public var trackID = ""
    /// The stream id that was signalled.
    public var streamID = ""
    /// Audio or video.
    public var kind = MediaKind.audio
    /// The codec's name.
    public var codec = ""
    /// RTP packets received, recovered ones included.
    public var packetsReceived = 0
    /// Payload bytes of those.
    public var bytesReceived = 0
    /// Packets that never came.
    public var packetsLost = 0
    /// Packets that came after we had asked for them.
    public var packetsRecovered = 0
    /// Requests for lost packets.
    public var nacksSent = 0
    /// Requests for key frames.
    public var keyFrameRequestsSent = 0
    /// Interarrival jitter in milliseconds.
    public var jitterMilliseconds = 0.0
    /// Whole frames out of the network.
    public var framesReceived = 0
    /// Frames that came out of the decoder.
    public var framesDecoded = 0
    /// Frames given up, and frames that did not decode.
    public var framesDropped = 0
    /// Frames that could not be decrypted: no key, or not the sender's.
    public var framesUndecryptable = 0
    /// Frames left aside because they may be encrypted, while signalling hadn't said so.
    public var framesHeld = 0
    /// Frames and packets that are nothing which the codec can decode.
    public var framesUndecodable = 0
    /// Black pictures of 8x8 that a server put in at the end of a track; in no other count.
    public var fillersReceived = 0
    /// Sound that was lost and rebuilt from copies in other packets, in packets.
    public var packetsRebuilt = 0
    /// Pictures that stood still for too long.
    public var freezes = 0
    /// Milliseconds that they stood still.
    public var frozenMilliseconds = 0.0
    /// Milliseconds from the subscription (the description that announced the track) to the first decoded frame or sound.
    public var firstFrameMilliseconds: Double?
    /// Milliseconds of audio that had to be invented: concealment, inserted silence and underruns.
    public var concealedMilliseconds = 0.0
    /// Milliseconds of audio played.
    public var playedMilliseconds = 0.0
    /// Present playout delay in milliseconds: of audio the target, of video from the earliest arrival to the showing.
    public var playoutDelayMilliseconds = 0.0
    /// How a sound track was played; zero for video.
    public var sound = SoundStatistics()
    /// What of a video track was shown; zero for sound.
    public var rendering = RenderStatistics()
    /// How far pictures and sound of their sender were apart; nil for sound, and where that isn't known.
    public var lipSync: LipSyncStatistics?
    /// What webrtc-stats tells of it beyond that.
    var detail = TrackDetail()
    /// Width and height of the last picture.
    public var width = 0
    /// Height of the last picture.
    public var height = 0

    /// Nothing counted.
    public init() {}
}
