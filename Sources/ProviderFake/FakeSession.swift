import CallBridge
import MediaCore

/// One participant's way into a `FakeWorld`.
struct FakeSession: ProviderSession {
    let world: FakeWorld
    let id: String
    let identity: String
    let queue: FakeEventQueue

    var localParticipant: Participant { Participant(id: id, identity: identity, isLocal: true) }
    var events: AsyncStream<ProviderEvent> { queue.stream }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        try await world.publish(track, source: source, by: id)
    }

    func unpublish(trackID: String) async throws { try await world.unpublish(trackID, by: id) }

    func setMuted(_ muted: Bool, trackID: String) async throws { try await world.setMuted(muted, trackID, by: id) }

    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {
        try await world.setSubscribed(subscribed, trackID, by: id)
    }

    func statistics() async -> SessionStatistics { await world.statistics(id) }

    func leave() async { await world.leave(id) }
}
