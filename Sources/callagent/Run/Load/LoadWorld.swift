import CallBridge
import Foundation
import LiveKitProtocol
import LoadCore
import MediaCore
import ProviderLiveKitLike
import Synchronization

/// What all participants of a load test share: threads, clips, the way in, and the truth of what is published.
final class LoadWorld: Sendable {
    /// Where it takes place, and how.
    struct Settings: Sendable {
        var url = ""
        var key = ""
        var secret = ""
        var provider: any CallProvider = LiveKitLikeProvider()
        var layout = LoadLayout.speaker
        var media = MediaSessionConfiguration()
        var trust = ServerTrust.system
        /// Pictures of a room are more than a layout shows.
        var exceedsLayout = false
        /// Publishers speak only when it is their turn.
        var takesTurns = false
        /// Of this process, all in all.
        var participants = 0
    }

    let settings: Settings
    let media: LoadMedia
    let meters = LoadMeters()
    let engine: MediaEngine
    let clock = MediaClock.system
    /// Of this process.
    let run = UInt32.random(in: .min ... .max)
    /// Between the participants and the server.
    let networks: LoadNetworks
    /// Of joins, where they are wanted.
    let traces: JoinTraces?
    private let nextPublisher = Atomic<UInt32>(0)
    /// By room, identity and kind.
    private let truths = Mutex<[TruthKey: SentTruth]>([:])

    private struct TruthKey: Hashable {
        var room: String
        var identity: String
        var kind: MediaKind
    }

    init(_ settings: Settings, media: LoadMedia, networks: LoadNetworks, traces: JoinTraces? = nil) {
        self.settings = settings
        self.media = media
        var threads = MediaEngine.Configuration()
        threads.workers = 1
        threads.eventLoops = Self.loops(for: settings.participants, cores: ProcessInfo.processInfo.activeProcessorCount)
        threads.receiveModerationMilliseconds = 1
        engine = MediaEngine(configuration: threads)
        self.networks = networks
        self.traces = traces
    }

    /// Loops of media. One wakes up the least often; where it would be busy most of the time, what is due waits for it.
    static func loops(for participants: Int, cores: Int) -> Int {
        min(max(1, cores), 1 + participants / participantsOfALoop)
    }

    private static let participantsOfALoop = 250

    // MARK: The truth

    /// A track that begins now.
    func publish(_ kind: MediaKind, by participant: PlannedParticipant) -> SentTruth {
        let number = nextPublisher.wrappingAdd(1, ordering: .relaxed).oldValue
        let isSilent = kind == .audio && settings.takesTurns
        let truth = SentTruth(kind, run: run, publisher: number, isSilent: isSilent)
        let key = TruthKey(room: participant.room, identity: participant.identity, kind: kind)
        truths.withLock { $0[key] = truth }
        return truth
    }

    /// Numbers for a participant's messages.
    func numbers() -> SentTruth {
        let number = nextPublisher.wrappingAdd(1, ordering: .relaxed).oldValue
        return SentTruth(.audio, run: run, publisher: number)
    }

    /// What somebody publishes; nil where that is none of ours.
    func truth(of identity: String, in room: String, _ kind: MediaKind) -> SentTruth? {
        truths.withLock { $0[TruthKey(room: room, identity: identity, kind: kind)] }
    }

    var allTruths: [SentTruth] { truths.withLock { Array($0.values) } }

    func forget(_ participant: PlannedParticipant) {
        for kind in [MediaKind.audio, .video] {
            let key = TruthKey(room: participant.room, identity: participant.identity, kind: kind)
            truths.withLock { $0[key] = nil }
        }
    }

    // MARK: The way in

    /// Lets a participant in. Throws `CallError`.
    func connect(_ participant: PlannedParticipant) async throws -> any ProviderSession {
        var media = settings.media
        media.reception = participant.decodes ? .decoded : .counted
        networks.route(&media, of: participant)
        var context = ProviderContext(
            engine: engine, media: media, subscribesAutomatically: participant.subscribes && !settings.exceedsLayout,
            logger: .init(label: "callagent.load"))
        context.trust = settings.trust
        context.knowsListeners = false
        return try await settings.provider.connect(try descriptor(participant), context: context)
    }

    private func descriptor(_ participant: PlannedParticipant) throws -> CallDescriptor {
        CallDescriptor(
            callId: participant.room, conversationId: participant.room, provider: settings.provider.kind,
            serviceProviderCallId: participant.room, endpoint: settings.url,
            credentials: .init(token: try token(participant)))
    }

    private func token(_ participant: PlannedParticipant) throws -> String {
        let (room, identity, key, secret) = (participant.room, participant.identity, settings.key, settings.secret)
        guard settings.provider.kind == .openTok else {
            return AccessToken.join(
                room: room, identity: identity, key: key, secret: secret, now: Int64(Date().timeIntervalSince1970))
        }
        guard let token = OpenTokAccess.token(key: key, secret: secret, session: room, identity: identity) else {
            throw CallError(.caller, .invalidArgument, "no token can be made for the session \(room) with that key")
        }
        return token
    }
}
