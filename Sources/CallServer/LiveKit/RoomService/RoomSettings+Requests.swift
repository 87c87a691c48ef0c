import LiveKitProtocol

/// What LiveKit's requests and tokens ask of a room.
extension RoomSettings {
    /// Takes over what `request` names; zero and empty mean "as it is".
    mutating func apply(_ request: Livekit_CreateRoomRequest) {
        apply(
            empty: request.emptyTimeout, departure: request.departureTimeout, participants: request.maxParticipants,
            metadata: request.metadata)
        apply(minimumDelay: request.minPlayoutDelay, maximumDelay: request.maxPlayoutDelay)
        if request.syncStreams { syncsStreams = true }
    }

    /// The `roomConfig` claim of the token whose join creates the room. What can't be read is let be.
    mutating func apply(_ claim: JSONValue?) {
        guard let claim, let configuration = Livekit_RoomConfiguration(claim: claim) else { return }
        apply(
            empty: configuration.emptyTimeout, departure: configuration.departureTimeout,
            participants: configuration.maxParticipants, metadata: configuration.metadata)
        apply(minimumDelay: configuration.minPlayoutDelay, maximumDelay: configuration.maxPlayoutDelay)
        if configuration.syncStreams { syncsStreams = true }
    }

    /// A token's metadata is bounded as everybody else's.
    static let longestMetadata = 512 * 1024

    private mutating func apply(empty: UInt32, departure: UInt32, participants: UInt32, metadata: String) {
        if empty > 0 { emptyTimeout = Int(empty) }
        if departure > 0 { departureTimeout = Int(departure) }
        if participants > 0 { maxParticipants = Int(participants) }
        if !metadata.isEmpty, metadata.utf8.count <= Self.longestMetadata { self.metadata = metadata }
    }

    private mutating func apply(minimumDelay: UInt32, maximumDelay: UInt32) {
        guard minimumDelay > 0 || maximumDelay > 0 else { return }
        playoutDelay = Int(minimumDelay)...Int(max(minimumDelay, maximumDelay))
    }
}

extension Livekit_RoomConfiguration {
    /// Nil where the claim is no `RoomConfiguration`.
    fileprivate init?(claim: JSONValue) {
        guard let text = claim.text, let value = try? Livekit_RoomConfiguration(wireJSON: text) else { return nil }
        self = value
    }
}
