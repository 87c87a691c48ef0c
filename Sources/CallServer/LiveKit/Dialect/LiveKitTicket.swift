import LiveKitProtocol

/// A participant who has been let in: what the token grants and what the client asked for.
struct LiveKitTicket: Sendable {
    var claims: TokenClaims
    var room: String
    var identity: String
    /// Of a connection that only publishes: whose it is.
    private(set) var mainIdentity: String?
    /// `/rtc/v1`: one peer connection, the client offers. Otherwise two.
    var isSingleConnection: Bool
    var autoSubscribe = true
    /// Its videos may be paused where its connection doesn't bear even their smallest layers.
    var allowsPause = false
    /// A client that was here before and has lost the signalling connection.
    var reconnects = false
    var reconnectReason = Livekit_ReconnectReason.rrUnknown
    /// The participant sid of such a client.
    var participantID: String?
    var client = Livekit_ClientInfo()
    var publisherOffer: Livekit_SessionDescription?
    var addTracks: [Livekit_AddTrackRequest] = []
    var metadata: String
    var attributes: [String: String]

    init(claims: TokenClaims, room: String, isSingleConnection: Bool) {
        self.claims = claims
        self.room = room
        self.isSingleConnection = isSingleConnection
        identity = claims.identity
        metadata = claims.metadata ?? ""
        attributes = claims.attributes ?? [:]
    }

    /// A second connection of the same client that only publishes; `name` tells it from the first.
    ///
    /// Throws where the token doesn't let it publish.
    mutating func becomePublishOnly(_ name: String) throws(LiveKitRefusal) {
        guard grant.mayPublish else { throw .noPermission }
        guard name.utf8.count <= Self.longestPublishName, name.unicodeScalars.allSatisfy(Self.isPlain) else {
            throw LiveKitRefusal(
                400, "publish has 1 to \(Self.longestPublishName) bytes: letters, digits, blanks and . _ - :")
        }
        mainIdentity = identity
        identity += "#\(name)"
        claims.video?.canSubscribe = false
    }

    /// Bytes of the name of a connection that only publishes.
    private static let longestPublishName = 64

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isAlphabetic || scalar.properties.numericType != nil
            || "._-: ".unicodeScalars.contains(scalar)
    }

    /// What the bounds of rooms are about.
    var newcomer: RoomNewcomer {
        RoomNewcomer(
            identity: identity, mainIdentity: mainIdentity,
            description: DescriptionSize.participant(
                identity: identity, name: claims.name ?? "", metadata: metadata, attributes: attributes))
    }

    /// Adds what the client says of itself to what the token says; nothing that the token says is taken away.
    mutating func describe(metadata: String = "", attributes: [String: String]) throws(LiveKitRefusal) {
        guard !metadata.isEmpty || !attributes.isEmpty else { return }
        guard grant.canUpdateOwnMetadata == true else { throw .noPermission }
        if !metadata.isEmpty { self.metadata = metadata }
        self.attributes.merge(attributes.filter { !$0.value.isEmpty }) { $1 }
    }

    /// Takes over what a newer connection of the same participant has shown.
    mutating func renew(_ newer: LiveKitTicket) {
        claims = newer.claims
        client = newer.client
    }

    var grant: VideoGrant { claims.video ?? VideoGrant() }

    /// Two connections, of which the one that we offer is set up first.
    var isSubscriberPrimary: Bool { !isSingleConnection && client.protocol > 2 && grant.maySubscribe }
}
