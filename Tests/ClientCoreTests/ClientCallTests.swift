import CallBridge
import ClientModel
import ConversationModel
import MediaCore
import Synchronization
import Testing

@testable import ClientCore

private final class Sharing: CoBrowsingModule {
    let name = ModuleName.coBrowsing
    let started = Mutex<[String]>([])

    func share(in conversation: Conversation, over channel: any CoBrowsingChannel) async throws -> any CoBrowsingSession
    {
        started.withLock { $0.append(conversation.id) }
        return QuietSharing(channel)
    }

    func watch(in conversation: Conversation, over channel: any CoBrowsingChannel) async throws -> any CoBrowsingSession
    {
        QuietSharing(channel)
    }
}

/// A session that lasts until it is stopped, or its channel is gone.
private final class QuietSharing: CoBrowsingSession {
    private let task: Task<Void, Never>
    private let reason = Mutex(CoBrowsingEnd.connectionLost)
    private let channel: any CoBrowsingChannel

    init(_ channel: any CoBrowsingChannel) {
        self.channel = channel
        task = Task { for await _ in channel.incoming {} }
    }

    func end() async -> CoBrowsingEnd {
        await task.value
        return reason.withLock { $0 }
    }

    func stop(_ reason: CoBrowsingEnd) async {
        self.reason.withLock { $0 = reason }
        await channel.close()
        await task.value
    }

    func indicate(_ event: CoBrowsingIndicators.Event) async -> [CoBrowsingIndicators.Action] { [] }
}

/// A provider whose calls are nothing but a beginning and an end.
private final class QuietProvider: CallProvider {
    let kind = ProviderKind.liveKit
    let capabilities: ProviderCapabilities = [.video]
    let session = Mutex<QuietSession?>(nil)
    let joined = Mutex(0)

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        joined.withLock { $0 += 1 }
        let session = QuietSession()
        self.session.withLock { $0 = session }
        return session
    }
}

private final class QuietSession: ProviderSession {
    let events: AsyncStream<ProviderEvent>
    let say: AsyncStream<ProviderEvent>.Continuation
    let hasLeft = Mutex(false)

    init() { (events, say) = AsyncStream.makeStream(of: ProviderEvent.self) }

    var localParticipant: Participant { Participant(id: "PA_me", identity: "vera", isLocal: true) }
    func publish(_ track: LocalTrack, source: Track.Source) async throws -> Track { throw FeatureUnavailable("tracks") }
    func unpublish(trackID: String) async throws {}
    func setMuted(_ muted: Bool, trackID: String) async throws {}
    func setSubscribed(_ subscribed: Bool, trackID: String) async throws {}
    func statistics() async -> SessionStatistics { SessionStatistics() }
    func leave() async {
        hasLeft.withLock { $0 = true }
        say.finish()
    }
}

@Suite(.timeLimit(.minutes(10))) struct ClientCallTests {
    private static func module(_ providers: [ProviderRegistration]) -> CallModule {
        let descriptor = CallDescriptor(
            callId: "call", conversationId: "c-1", provider: .liveKit, serviceProviderCallId: "room",
            endpoint: "wss://chat.example/calls", credentials: .init(token: "t"))
        return CallModule(.init(descriptors: FixedDescriptorSource(descriptor), providers: providers))
    }

    private static func client(
        _ service: ScriptedService, _ modules: [any ClientModule], permissions: FixedMediaPermissions = .init()
    ) throws -> CallClient {
        try CallClient.scripted(service) { _, environment in
            for module in modules { try environment.modules.register(module) }
            environment.permissions = permissions
        }
    }

    private static func code(_ body: () async throws -> Void) async -> ClientError.Code? {
        do { try await body() } catch { return (error as? ClientError)?.code }
        return nil
    }

    /// Module, provider, and what a call and sharing the screen say without them.
    @Test func whatIsMissingIsNamed() async throws {
        let call = Self.module([.init(QuietProvider())])
        let empty = Self.module([])
        let sharing = Sharing()
        let rows: [([any ClientModule], ClientError.Code?, ClientError.Code?)] = [
            ([], .moduleNotRegistered, .moduleNotRegistered), ([empty], .noProviderInstalled, .moduleNotRegistered),
            ([call], nil, .moduleNotRegistered), ([sharing], .moduleNotRegistered, nil),
            ([empty, sharing], .noProviderInstalled, nil), ([call, sharing], nil, nil),
        ]
        for (modules, ofCall, ofSharing) in rows {
            let client = try Self.client(ScriptedService(), modules)
            #expect(await Self.code { _ = try await client.startAudioCall(in: "c-1") } == .notReady)
            try await client.start()
            let conversation = try await client.beginConversation(.chat)
            #expect(await Self.code { try await client.startVideoCall(in: conversation.id) } == ofCall)
            #expect(await Self.code { try await client.startCoBrowsing(in: conversation.id) } == ofSharing)
            await client.stop()
        }
        #expect(sharing.started.withLock { $0 } == ["c-1", "c-1", "c-1"])
        await call.shutdown()
        await empty.shutdown()
    }

    @Test func aCallLivesInItsConversation() async throws {
        let provider = QuietProvider()
        let module = Self.module([.init(provider)])
        let service = ScriptedService()
        let client = try Self.client(service, [module])
        try await client.start()
        #expect(await Self.code { _ = try await client.startAudioCall(in: "nowhere") } == .conversationUnavailable)
        let conversation = try await client.beginConversation(.video)
        let call = try await client.startVideoCall(in: conversation.id)
        #expect(try await client.startVideoCall(in: conversation.id) === call, "there is one")
        let events = client.events
        await client.endCall(conversation.id)
        for await event in events { if event == .callEnded(conversation: conversation.id) { break } }
        #expect(await client.openConversation?.id == conversation.id, "the conversation lives on")
        #expect(await client.call(in: conversation.id) == nil)
        await client.stop()
        await module.shutdown()
    }

    @Test func theEndOfAConversationEndsItsCall() async throws {
        let provider = QuietProvider()
        let module = Self.module([.init(provider)])
        let client = try Self.client(ScriptedService(), [module])
        try await client.start()
        let conversation = try await client.beginConversation(.audio)
        try await client.startAudioCall(in: conversation.id)
        let events = client.events
        try await client.endConversation(conversation.id)
        for await event in events { if event == .callEnded(conversation: conversation.id) { break } }
        #expect(provider.session.withLock { $0?.hasLeft.withLock { $0 } } == true)
        await client.stop()
        await module.shutdown()
    }

    @Test func anActiveCallOutlivesARefusedToken() async throws {
        let provider = QuietProvider()
        let module = Self.module([.init(provider)])
        let service = ScriptedService()
        let client = try Self.client(service, [module])
        try await client.start()
        let conversation = try await client.beginConversation(.audio)
        let call = try await client.startAudioCall(in: conversation.id)
        let events = client.events
        service.change { $0.tokens = ["better"] }
        service.drop()
        for await event in events {
            if case .error(let error) = event {
                #expect(error.code == .authorization && !error.isFatal)
                break
            }
        }
        #expect(await client.phase == .ready)
        #expect(await client.call(in: conversation.id) === call)
        #expect(await call.state != .ended)
        await client.setToken(ClientToken("better"))
        await client.waitOnline(true)
        #expect(await client.call(in: conversation.id) === call)
        await client.stop()
        #expect(provider.session.withLock { $0?.hasLeft.withLock { $0 } } == true, "a stop ends calls")
        await module.shutdown()
    }

    @Test func theCallStartsByItself() async throws {
        let provider = QuietProvider()
        let module = Self.module([.init(provider)])
        let client = try Self.client(ScriptedService(), [module])
        try await client.start()
        let events = client.events
        let conversation = try await client.beginConversation(.audio, data: ["auto": "yes"])
        for await event in events { if event == .callStarted(conversation: conversation.id) { break } }
        #expect(provider.joined.withLock { $0 } == 1)
        await client.stop()
        await module.shutdown()
    }

    @Test func permissions() async throws {
        let module = Self.module([.init(QuietProvider())])
        for microphone in [MediaPermission.granted, .denied, .permanentlyDenied, .notAsked] {
            let permissions = FixedMediaPermissions(microphone: microphone, camera: .permanentlyDenied)
            let client = try Self.client(ScriptedService(), [module], permissions: permissions)
            try await client.start()
            let conversation = try await client.beginConversation(.video)
            let plan = try await client.mediaPlan(for: .video)
            #expect(plan.publishes.hasAudio == (microphone == .granted) && !plan.publishes.hasVideo)
            try await client.startVideoCall(in: conversation.id)
            await client.stop()
        }
        let client = try Self.client(
            ScriptedService(), [module], permissions: FixedMediaPermissions(microphone: .permanentlyDenied))
        #expect(
            await Self.code { _ = try await client.mediaPlan(for: .audio, allowsListenOnly: false) }
                == .permissionDenied)
        await module.shutdown()
    }
}
