import CallBridge
import MediaCore
import Synchronization

/// A provider whose events a test speaks.
final class ScriptedProvider: CallProvider {
    let kind: ProviderKind
    let capabilities: ProviderCapabilities = [.video]
    let session = ScriptedSession()

    init(kind: ProviderKind) { self.kind = kind }

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession { session }
}

/// Its session: events are yielded by the test, actions are written down.
final class ScriptedSession: ProviderSession {
    let events: AsyncStream<ProviderEvent>
    let say: AsyncStream<ProviderEvent>.Continuation
    let done = Mutex<[String]>([])

    init() { (events, say) = AsyncStream.makeStream(of: ProviderEvent.self) }

    var localParticipant: Participant { Participant(id: "PA_me", identity: "me", isLocal: true) }

    private func note(_ action: String) { done.withLock { $0.append(action) } }

    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track {
        note("publish \(track.kind.rawValue) \(source.rawValue)")
        return Track(id: "TR_\(track.kind.rawValue)", kind: track.kind, name: track.name, source: source)
    }

    func unpublish(trackID: String) async throws { note("unpublish \(trackID)") }
    func setMuted(_ muted: Bool, trackID: String) async throws { note("mute \(trackID) \(muted)") }
    func setSubscribed(_ subscribed: Bool, trackID: String) async throws { note("subscribe \(trackID) \(subscribed)") }
    func statistics() async -> SessionStatistics { SessionStatistics() }

    func leave() async {
        note("leave")
        say.finish()
    }
}
