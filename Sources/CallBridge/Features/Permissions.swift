/// What the server lets us do.
public struct ParticipantPermissions: Sendable, Hashable {
    /// Receive tracks.
    public var canSubscribe: Bool
    /// Publish tracks.
    public var canPublish: Bool
    /// Send data messages.
    public var canPublishData: Bool
    /// Which sources may be published; empty for all.
    public var publishableSources: Set<Track.Source>
    /// Change our own name, metadata and attributes.
    public var canUpdateMetadata: Bool
    /// We are not shown to others.
    public var isHidden: Bool

    /// Permissions from their parts.
    public init(
        canSubscribe: Bool = true, canPublish: Bool = true, canPublishData: Bool = true,
        publishableSources: Set<Track.Source> = [], canUpdateMetadata: Bool = false, isHidden: Bool = false
    ) {
        self.canSubscribe = canSubscribe
        self.canPublish = canPublish
        self.canPublishData = canPublishData
        self.publishableSources = publishableSources
        self.canUpdateMetadata = canUpdateMetadata
        self.isHidden = isHidden
    }
}

/// Who may receive what we publish.
public struct SubscriptionPermissions: Sendable, Hashable {
    /// What one participant may receive.
    public struct Grant: Sendable, Hashable {
        /// Whom it concerns, by identity.
        public var identity: String
        /// The tracks they may receive; nil for all.
        public var trackIDs: Set<String>?

        /// A grant from its parts.
        public init(identity: String, trackIDs: Set<String>? = nil) {
            self.identity = identity
            self.trackIDs = trackIDs
        }
    }

    /// Everybody may receive everything; `grants` then says nothing more.
    public var allowsEverybody: Bool
    /// Who may receive what, where not everybody may.
    public var grants: [Grant]

    /// Permissions from their parts.
    public init(allowsEverybody: Bool, grants: [Grant] = []) {
        self.allowsEverybody = allowsEverybody
        self.grants = grants
    }

    /// Everybody may receive everything: how a call begins.
    public static let everybody = SubscriptionPermissions(allowsEverybody: true)
}

/// The room that carries a call, as the server describes it.
public struct RoomInfo: Sendable, Hashable {
    /// The server's id of this life of the room; empty where not said.
    public var id: String
    /// Its name.
    public var name: String
    /// Free text that the application attached.
    public var metadata: String
    /// How many take part, as last counted.
    public var participantCount: Int
    /// Whether it is being recorded.
    public var isRecorded: Bool

    /// A room from its parts.
    public init(
        id: String, name: String, metadata: String = "", participantCount: Int = 0, isRecorded: Bool = false
    ) {
        self.id = id
        self.name = name
        self.metadata = metadata
        self.participantCount = participantCount
        self.isRecorded = isRecorded
    }
}
