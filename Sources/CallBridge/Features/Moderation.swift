/// What a moderator does to others. Whether we may is said by our token; a server refuses it otherwise.
public enum Moderation: Sendable, Hashable {
    /// Stops the sound of a track; its publisher may unmute it.
    case mute(trackID: String)
    /// Stops the sound of all tracks but these, and of what is published later, until `endMute`.
    case muteEverybody(exceptTrackIDs: Set<String> = [])
    /// What is published from now on begins unmuted; what is muted stays so until its publisher unmutes it.
    case endMute
    /// Takes away a track that somebody publishes.
    case unpublish(trackID: String)
    /// Sends somebody out of the call, by the provider's id.
    case remove(participantID: String)
}

extension ProviderSession {
    /// Does something to others, as a moderator.
    public func moderate(_ action: Moderation) async throws { throw FeatureUnavailable("moderation") }
}

extension Call {
    /// Does something to others, as a moderator. Throws `CallError`, of the code `providerRefused` where we may not.
    public func moderate(_ action: Moderation) async throws {
        try await perform("moderate") { try await $0.moderate(action) }
    }
}
