/// A room as those who watch the server see it. Counters run from the beginning: rates are differences of two snapshots.
struct RoomSnapshot: Encodable, Sendable {
    var name: String
    var participants: [ParticipantSnapshot]
    /// How many more are in it than are listed.
    var unlisted: Int
}

/// Somebody in a room.
struct ParticipantSnapshot: Encodable, Sendable {
    var id: String
    var identity: String
    var name: String
    /// `livekit`, `opentok`, `whip` or `whep`.
    var dialect: String
    var state: String
    var isHidden: Bool
    /// Milliseconds since 1970.
    var joinedAt: Int64
    /// How loud, 0...1.
    var level: Float
    /// How good the connections are, 0...100.
    var quality: Double
    /// In milliseconds; nil where it isn't known.
    var roundTrip: Double?
    var bytesReceived: Int
    var bytesSent: Int
    var tracks: [TrackSnapshot]
    var subscriptions: [SubscriptionSnapshot]
    /// How many more tracks it gets than are listed.
    var unlistedSubscriptions: Int
}

/// What somebody publishes.
struct TrackSnapshot: Encodable, Sendable {
    var id: String
    var kind: String
    var source: String
    var name: String
    var codec: String
    var isMuted: Bool
    var isEncrypted: Bool
    /// 0...100; nil before the first window.
    var quality: Double?
    var layers: [LayerSnapshot]
}

/// One stream of a track.
struct LayerSnapshot: Encodable, Sendable {
    /// Empty where the track has one stream only.
    var rid: String
    /// In pixels; 0 where it isn't known.
    var width: Int
    var packets: Int
    var bytes: Int
    var lost: Int
    /// Of the lost ones.
    var recovered: Int
    /// In milliseconds.
    var jitter: Double
    /// Still sent.
    var isLive: Bool
}

/// What somebody gets of another one's.
struct SubscriptionSnapshot: Encodable, Sendable {
    var track: String
    var publisher: String
    var kind: String
    var packets: Int
    var bytes: Int
    /// 0...1, as the receiver last reported it.
    var loss: Double
    /// The layer that is sent; nil while none is.
    var layer: Int?
    /// Not wanted, or without room on the connection.
    var isPaused: Bool
}
