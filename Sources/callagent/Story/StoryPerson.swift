import AccessPolicy
import CallModel
import ClientCore
import CoBrowsing
import Foundation
import MediaCore
import ProviderLiveKitLike
import ProviderOpenTokLike
import ScenarioCore
import Synchronization

/// Where a person's calls go: what the server says for the area that the application is in by then.
final class StoryDescriptors: CallDescriptorSource {
    private let server: ServerDescriptorSource
    private let area = Mutex("")

    init(_ server: ServerDescriptorSource) { self.server = server }

    /// Calls from now on are those of this area.
    func move(to area: String) { self.area.withLock { $0 = area } }

    func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        var request = request
        request.area = area.withLock { $0 }
        return try await server.descriptor(request)
    }
}

/// What a ringing device shows, as it shows it.
final class StoryPresenter: RingPresenter {
    enum Shown: Sendable, Hashable {
        case present(String, caller: String)
        case waiting(String, missing: String)
        case dismissed(String)
    }

    let shown = EventHistory<Shown>()
    /// Whether it answers by itself.
    private let answers: Bool

    init(answers: Bool) { self.answers = answers }

    func present(_ offer: RingOffer, decide: @escaping @Sendable (RingDecision) async -> Void) async {
        shown.note(.present(offer.callId, caller: offer.callerName))
        if answers { Task { await decide(.answer) } }
    }
    func waiting(_ offer: RingOffer, for reason: String) async {
        shown.note(.waiting(offer.callId, missing: reason))
    }
    func dismiss(_ offer: RingOffer) async { shown.note(.dismissed(offer.callId)) }
}

/// The application of one side: a client with its modules, a device that rings, and what both have seen.
final class StoryPerson: Sendable {
    let name: String
    let role: PersonRole
    /// On the test card that this side sends, and the tone beside it.
    let number: UInt16
    let hertz: Double
    let client: CallClient
    let events = EventHistory<ClientEvent>()
    let presenter: StoryPresenter
    let outcomes = EventHistory<Outcome>()
    let calls = EventHistory<StoryCall>()
    /// What is heard of calls; a greeting comes first where one was begun.
    let output: CallAudioOutput
    let sharing: ScreenCoBrowsing
    let descriptors: StoryDescriptors
    private let module: CallModule
    private let format: LocalMedia.VideoFormat
    private let ringing = Mutex<RingPhone?>(nil)

    struct Outcome: Sendable, Hashable {
        var callId: String
        var outcome: RingOutcome
    }

    /// Throws `ClientError`.
    ///
    /// - Parameters:
    ///   - number: of its story, from 1.
    ///   - screen: what this side shares.
    init(
        _ role: PersonRole, _ number: Int, in world: StoryWorld, notifications: PushNotifications? = nil,
        screen: StoryScreen? = nil
    ) throws {
        let isVisitor = role == .visitor
        self.role = role
        name = "\(isVisitor ? "vera" : "ada")-\(number)"
        self.number = UInt16(truncatingIfNeeded: number * 2 - (isVisitor ? 1 : 0))
        hertz = isVisitor ? 440 : 880
        format = world.format
        presenter = StoryPresenter(answers: !isVisitor)
        descriptors = StoryDescriptors(
            ServerDescriptorSource(server: world.address, credentials: world.credentials))
        var calls = CallBridge.Configuration(
            descriptors: descriptors, providers: [.liveKitLike, .openTokLike])
        calls.engine = world.engine
        module = CallModule(calls)
        output = module.bridge.makeOutput(sinks: [])
        var share = ScreenCoBrowsing.Configuration()
        if let screen { share.source = { _ in screen } }
        share.format = .png
        sharing = ScreenCoBrowsing(share)
        if let screen { sharing.addPrivateArea(.init(id: "card-number", rect: screen.secret)) }
        var environment = ClientEnvironment(
            tokens: StaticTokenSource(world.token(name, role)), links: FixedLinkHandler(.block))
        environment.notifications = notifications
        try environment.modules.register(module)
        try environment.modules.register(sharing)
        var configuration = ClientConfiguration(serverURL: world.address, apiKey: StoryWorld.key)
        configuration.displayName = name
        configuration.startTimeout = min(600_000, Int(world.patience.seconds * 1_000))
        client =
            try isVisitor ? .visitor(configuration, environment) : .agent(configuration, environment)
        let (stream, history) = (client.events, events)
        Task { for await event in stream { history.note(event) } }
    }

    /// What others see of this side's device.
    var device: RingDevice { RingDevice(personId: name, deviceToken: "\(name)-phone") }

    var phone: RingPhone? { ringing.withLock { $0 } }

    /// Begins to listen for calls. Throws `CallError`.
    func listen(over line: any RingTransport, gate: AnswerGate = .init(), patience: StoryPatience) async throws {
        var timing = IncomingRing.Timing()
        timing.client = Int64(patience.seconds * 1_000)
        timing.connect = timing.client
        let phone = RingPhone(
            line, presenter: presenter, gate: gate, timing: timing,
            stopClient: { [weak self] _ in await self?.hangUp() },
            client: { [weak self] start in try await self?.join(start.conversationId) })
        ringing.withLock { $0 = phone }
        try await phone.start()
        let history = outcomes
        Task { for await (call, outcome) in phone.outcomes { history.note(.init(callId: call, outcome: outcome)) } }
    }

    /// Starts the client where it does not run, joins the call, publishes, and returns when media is connected.
    private func join(_ conversation: String) async throws {
        if await client.phase != .ready { try await client.start() }
        let call = try await client.startVideoCall(in: conversation)
        let other = number.isMultiple(of: 2) ? number - 1 : number + 1
        let side = StoryCall(call, sees: other)
        call.play(to: output)
        calls.note(side)
        try await call.publish(.testTone(hertz), .testCard(format, sender: number))
        let isConnected: Bool? = await side.events.first { event in
            switch event {
            case .mediaConnected, .stateChanged(.active): true
            case .ended: false
            default: nil
            }
        }
        guard isConnected == true else {
            throw StoryFailure(role == .visitor ? .visitor : .agent, "the call has ended")
        }
    }

    /// Leaves the latest call.
    func hangUp() async { await calls.all.last?.call.leave() }

    /// Ends the line to the exchange.
    func stopListening() async {
        let phone = ringing.withLock { phone in
            defer { phone = nil }
            return phone
        }
        await phone?.stop()
    }

    /// Everything of this side.
    func stop() async {
        await stopListening()
        await hangUp()
        await client.stop()
        output.close()
    }
}
