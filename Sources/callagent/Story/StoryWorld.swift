import CallModel
import CallServer
import ClientCore
import Foundation
import LiveKitProtocol
import MediaCore
import ScenarioCore
import ServiceDesk

/// Everything that is there before a story begins: the call server with its push gateway, whoever carries notifications, the
/// service desk, and the threads that clients share.
final class StoryWorld: Sendable {
    static let key = "story"
    /// The area in which calls have that dialect.
    static func area(_ provider: ScenarioProvider) -> String { "by-\(provider.rawValue)" }
    private static let service = """
        {"providers": {"LIVEKIT": {}, "OPENTOK": {}},
         "scopes": {"AREA": {"by-opentok": {"provider": "OPENTOK"}, "by-livekit": {"provider": "LIVEKIT"}}}}
        """

    let server: CallServer
    let carrier: StoryCarrier
    let desk: ServiceDeskServer
    let engine: MediaEngine
    let device: StoryExtension
    let plan: StoryPlan
    let patience: StoryPatience
    /// Where calls take their turn, and where stories wait until all conversations are open.
    let calls: StoryGate
    let gathering: StoryGathering
    let format: LocalMedia.VideoFormat
    /// The journal's events, by conversation.
    let journal: EventBoxes<JournalEvent>
    /// What users write to the desk, by their devices.
    let letters: EventBoxes<ServiceDeskServer.Incoming>
    private let written: CallJournal
    private let folder: String
    private let secret: String

    /// Starts all of it. Throws what keeps it from being started.
    ///
    /// - Parameters:
    ///   - plan: what will be played, so many times at once as it says.
    ///   - calls: that may go on at once.
    ///   - program: the one that opens notifications.
    init(_ plan: StoryPlan, calls: Int, patience: StoryPatience, program: String) async throws {
        let clients = plan.clients
        self.plan = plan
        self.patience = patience
        self.calls = StoryGate(calls)
        gathering = StoryGathering(clients)
        format = .init(width: 320, height: 180, frameRate: min(calls, clients) > 4 ? 5 : 15)
        folder = NSTemporaryDirectory() + "callbridge-story-\(UUID().uuidString)"
        secret = UUID().uuidString + UUID().uuidString
        journal = EventBoxes()
        letters = EventBoxes()
        written = CallJournal { [journal] event in journal[event.conversationId].note(event) }
        engine = MediaEngine()
        device = StoryExtension(program: program, gate: StoryGate(4))
        // Keys of notifications are in it.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        carrier = try await StoryCarrier(connections: clients * 4)
        desk = try ServiceDeskServer(.init())
        try await desk.start()
        server = CallServer(
            configuration: try Self.configuration(
                clients, secret: secret, folder: folder, carrier: carrier.url, journal: written, patience))
        try await server.start()
        let (incoming, letters) = (await desk.incoming(), letters)
        Task {
            for await letter in incoming {
                if case .device(let name) = letter.owner { letters[name].note(letter) }
            }
        }
    }

    private static func configuration(
        _ clients: Int, secret: String, folder: String, carrier: String, journal: CallJournal, _ patience: StoryPatience
    ) throws -> CallServerConfiguration {
        var configuration = CallServerConfiguration(keys: [key: secret])
        configuration.port = 0
        configuration.conversations.directory = folder + "/conversations"
        configuration.push.fcm = .init(url: carrier)
        configuration.service = try ServiceConfiguration(json: Data(service.utf8))
        configuration.journal = journal
        configuration.ringing.timing.ring = Int64(patience.seconds * 1_000)
        configuration.ringing.timing.connect = Int64(patience.seconds * 2_000)
        configuration.limits.connections = max(configuration.limits.connections, clients * 32)
        configuration.limits.pendingParticipants = max(configuration.limits.pendingParticipants, clients * 4)
        configuration.limits.halfOpenPeers = max(configuration.limits.halfOpenPeers, clients * 8)
        return configuration
    }

    /// What clients are configured with.
    var address: String { "http://127.0.0.1:\(server.port)" }

    /// The application's own server speaks for its people.
    var credentials: ServiceCredentials { .apiKey(Self.key, secret: secret) }

    /// An access token of somebody.
    func token(_ identity: String, _ role: PersonRole) -> ClientToken {
        var claims = TokenClaims(
            issuer: Self.key, subject: identity, expires: Int64(Date().timeIntervalSince1970) + 6 * 3_600)
        claims.attributes = ["role": role.rawValue.lowercased()]
        return ClientToken(AccessToken.mint(claims, secret: secret))
    }

    /// A folder of that name, made where it is missing.
    func folder(_ name: String) throws -> String {
        let path = folder + "/" + name
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    /// What a shared screen covers: one area in all of a story.
    var mask: StoryMask {
        for case .coBrowsing(let mask) in plan.steps.map(\.action) { return mask }
        return StoryMask()
    }

    /// Ends all of it, and gives what the journal came to.
    func stop() async -> JournalReport {
        await server.stop()
        await carrier.stop()
        await desk.stop()
        await engine.shutdown()
        try? FileManager.default.removeItem(atPath: folder)
        var report = JournalReport(written.finish())
        report.calls = Set(written.events.map(\.callId)).count
        return report
    }
}
