import RTCCore
import RTCWire

/// What webrtc-stats tells of a track beside its counters: which streams of which connection carry it, and how.
struct TrackDetail: Sendable {
    /// One RTP stream.
    struct Stream: Sendable {
        var ssrc: UInt32
        var counted: StreamStatistics
    }

    /// Of the connection.
    var connection = ""
    var mid = ""
    /// Nil before it is agreed, or known by what came.
    var codec: Codec?
    /// The largest first; none before the first packet of a received track.
    var streams: [Stream] = []

    /// A codec as it was negotiated.
    struct Codec: Sendable, Hashable {
        var payloadType: UInt8
        var name: String
        var clockRate: Int
        var channels: Int
        var parameters: String

        /// - Parameter isSent: as the other side has it; else as we have it.
        init(_ codec: NegotiatedCodec, isSent: Bool) {
            payloadType = isSent ? codec.sendPayloadType : codec.payloadType
            name = codec.name
            clockRate = codec.clockRate
            channels = codec.channels
            parameters = "\(isSent ? codec.remoteParameters : codec.localParameters)"
        }
    }
}

/// What webrtc-stats tells of a connection.
struct ConnectionDetail: Sendable {
    /// Tells it from any other connection of the call.
    var id = ""
    var ice = ICEDetail()
    /// Nil before the other side's description is known.
    var dtls: (state: DTLSState, role: DTLSRole)?
    var srtpProfile: String?
    var counted = PeerStatistics()
    /// What the path bears, bit/s; nil where nothing was measured.
    var estimatedBitrate: Int?
    var channels: [DataChannelStatistics] = []
    var channelsOpened = 0
    /// Stretches of 20 ms of sound that were played, and that were left out because they were too late.
    var playedTicks = 0
    var skippedTicks = 0
    var skips = 0

    /// Candidates and their pairs.
    struct ICEDetail: Sendable {
        var state = ICEState.new
        var role = ICERole.controlling
        var ufrag = ""
        var selections: UInt64 = 0
        var locals: [LocalCandidate] = []
        var remotes: [RemoteCandidate] = []
        var pairs: [ICEPairStatistics] = []
    }
}
