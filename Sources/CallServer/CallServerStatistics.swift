/// What a call server has counted since it started.
public struct CallServerStatistics: Sendable, Hashable {
    /// What the sockets for media count.
    public struct Datagrams: Sendable, Hashable {
        /// UDP datagrams that came in.
        public var received = 0
        /// Bytes of those.
        public var bytesReceived = 0
        /// Datagrams sent.
        public var sent = 0
        /// Bytes of those.
        public var bytesSent = 0
        /// Datagrams that the kernel dropped because our receive buffer was full.
        public var receiveBufferDrops = 0
        /// Datagrams that we dropped because a socket's send queue was full.
        public var sendQueueDrops = 0
        /// Datagrams of unknown origin.
        public var unknown = 0

        /// Nothing counted yet.
        public init() {}
    }

    /// Rooms that are open.
    public var rooms = 0
    /// Participants in all rooms.
    public var participants = 0
    /// What the sockets for media count.
    public var datagrams = Datagrams()
    /// Media packets that came in and belong to a track.
    public var packetsReceived = 0
    /// Copies of media packets that were sent on.
    public var packetsForwarded = 0
    /// Media packets that were not sent on: of no known track, or refused by the connection they were for.
    public var packetsDropped = 0
    /// Packets that were sent again on request.
    public var retransmissions = 0
    /// Requests for packets that were not at hand: gone, or lost on their way here and not yet repeated.
    public var retransmissionMisses = 0
    /// Requests for packets that had been repeated within the round trip already, or beyond what a subscriber may cause:
    /// as many bytes again as a track has sent it.
    public var retransmissionsRefused = 0
    /// Key frames that were missed by a subscriber; the publishers are asked less often.
    public var keyFrameRequests = 0
    /// Reliable data messages that were not sent on, because the participant they were for reads too slowly.
    public var dataMessagesDropped = 0

    /// Nothing counted yet.
    public init() {}

    static func + (a: CallServerStatistics, b: CallServerStatistics) -> CallServerStatistics {
        var sum = a
        for counter in counters { sum[keyPath: counter] += b[keyPath: counter] }
        return sum
    }

    private static var counters: [WritableKeyPath<CallServerStatistics, Int>] {
        [
            \.rooms, \.participants,
            \.datagrams.received, \.datagrams.bytesReceived, \.datagrams.sent, \.datagrams.bytesSent,
            \.packetsReceived, \.packetsForwarded, \.packetsDropped, \.retransmissions, \.retransmissionMisses,
            \.retransmissionsRefused, \.keyFrameRequests, \.dataMessagesDropped,
            \.datagrams.receiveBufferDrops, \.datagrams.sendQueueDrops, \.datagrams.unknown,
        ]
    }
}
