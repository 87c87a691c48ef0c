import CallModel
import ConversationService
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix
import NIOSSL
import RTCCore
import RTCTransport
import TransportSecurity

/// An embedded call server for tests, development and small rooms. It speaks LiveKit's protocol and the OpenTok-style one,
/// and forwards media without decoding it.
///
/// Each room lives on one loop, whose UDP port its participants are given; loops share nothing but the list of rooms.
/// Signalling connections live on event loops beside, and what they read goes to the room's loop, in order.
public final class CallServer: Sendable {
    private struct Running {
        var group: MultiThreadedEventLoopGroup
        var loops: [ServerLoop]
        var http: HTTPServer
        var webhooks: [WebhookQueue]
        var conversations: ConversationService
        var pushes: PushGateway?
    }

    private enum State {
        case idle
        case starting
        case running(Running)
        case stopped
    }

    let configuration: CallServerConfiguration
    private let timing: RoomTiming
    private let state = NIOLockedValueBox(State.idle)
    let hub: RingHub
    private let journal: CallJournal
    private let service: ServiceConfigurationBox
    private let calls = CallTable()
    /// The longest time that one message, datagram or deadline has held an event loop of the server's.
    package let stalls: StallMeter

    /// A server that is not yet started.
    public convenience init(configuration: CallServerConfiguration) {
        self.init(configuration: configuration, timing: RoomTiming())
    }

    init(configuration: CallServerConfiguration, timing: RoomTiming) {
        var configuration = configuration
        configuration.logger = configuration.logger.printable
        self.configuration = configuration
        self.timing = timing
        journal = configuration.journal ?? CallJournal(keeps: false)
        hub = RingHub(settings: configuration.ringing, journal: journal)
        service = ServiceConfigurationBox(configuration.service)
        stalls = StallMeter(logger: configuration.logger)
    }

    /// Binds the ports and begins to serve. Throws `CallServerError`; a server whose start failed holds nothing.
    public func start() async throws {
        let isFirst = state.withLockedValue { state in
            guard case .idle = state else { return false }
            state = .starting
            return true
        }
        guard isFirst else { throw CallServerError.alreadyStarted }
        let group = MultiThreadedEventLoopGroup(numberOfThreads: max(1, configuration.media.eventLoops))
        do {
            let running = try await bind(group)
            state.withLockedValue { $0 = .running(running) }
            configuration.logger.info(
                "call server listens", metadata: ["host": "\(configuration.host)", "port": "\(port)"])
        } catch {
            state.withLockedValue { $0 = .stopped }
            try? await group.shutdownGracefully()
            throw error
        }
    }

    /// Says goodbye to everybody and closes the ports.
    public func stop() async {
        let running: Running? = state.withLockedValue { state in
            defer { state = .stopped }
            guard case .running(let running) = state else { return nil }
            return running
        }
        guard let running else { return }
        // The rooms first, so that everybody hears why.
        for loop in running.loops { try? await loop.close().get() }
        hub.close()
        running.conversations.close()
        await running.http.close()
        let limit = TimeAmount.milliseconds(Int64(configuration.timing.webhookFlush))
        let flushes =
            running.webhooks.map { $0.flush(within: limit) } + [running.pushes?.flush(within: limit)].compactMap(\.self)
        for flush in flushes { _ = try? await flush.get() }
        try? await running.group.shutdownGracefully()
        // Last: connections that ended have told their rooms so.
        for loop in running.loops { await loop.end() }
        configuration.logger.info("call server stopped")
    }

    /// The TCP port of signalling; 0 while the server doesn't run.
    public var port: Int { running?.http.port ?? 0 }

    /// The UDP ports of media, one for each event loop.
    public var mediaPorts: [Int] { running?.loops.map { Int($0.mux.localAddress.port) } ?? [] }

    /// The TCP ports of media, one for each event loop; none where the configuration wants none.
    public var mediaTCPPorts: [Int] { running?.loops.compactMap { $0.tcpPort } ?? [] }

    /// Replaces what the configuration service answers from. Calls that are under way keep their provider. API keys are
    /// those that the server was started with.
    public func reconfigure(_ configuration: ServiceConfiguration) { service.value = configuration }

    /// Counters over all rooms since the start.
    public func statistics() async -> CallServerStatistics {
        var sum = CallServerStatistics()
        for loop in running?.loops ?? [] {
            if let counted = try? await loop.statistics().get() { sum = sum + counted }
        }
        return sum
    }

    private var running: Running? {
        state.withLockedValue { state in
            guard case .running(let running) = state else { return nil }
            return running
        }
    }

    // MARK: Start

    private func bind(_ group: MultiThreadedEventLoopGroup) async throws(CallServerError) -> Running {
        do { try configuration.validate() } catch { throw .configuration(error.description) }
        let settings = try MediaSettings(configuration)
        var loops: [ServerLoop] = []
        do throws(CallServerError) {
            for index in 0..<configuration.media.eventLoops {
                loops.append(try await bindMedia(index, settings))
            }
            let webhooks = try makeWebhooks(group)
            let journalWebhooks = try makeJournalWebhooks(group)
            let notices = try makeNotices(group)
            let openTok = OpenTokService(configuration: configuration, notices: notices)
            let roomJournal = RoomJournal(hub: hub, journal: journal) { [calls] in calls.conversation(in: $0) }
            var observers: [any RoomObserver] = [roomJournal]
            if let webhooks { observers.append(webhooks) }
            let directory = RoomDirectory(
                configuration: configuration, timing: timing, loops: loops, observer: RoomObservers(observers),
                dialects: [{ _ = $0.liveKit }, { openTok.attach($0) }])
            directory.entered.withLockedValue { $0 = { [calls] in calls.came($0, to: $1) } }
            directory.emptied.withLockedValue { $0 = { [calls] in calls.ended(room: $0, now: WallClock.milliseconds) } }
            let conversations = try openConversations()
            let pushes = try makePushes(conversations, on: group.next())
            var router = router(directory, roomJournal, openTok)
            let caller = ConversationCaller(
                keyring: APIKeyring(keys: configuration.keys), longestName: configuration.limits.text.name)
            ConversationRoutes(
                service: conversations, caller: caller, endCall: { [hub] in hub.endCall(ofConversation: $0) }
            ).add(to: &router)
            FileRoutes(service: conversations, caller: caller).add(to: &router)
            NotificationRoutes(service: conversations, caller: caller).add(to: &router)
            if configuration.watching.dashboard {
                let feed = DashboardFeed(directory: directory, journal: journal, eventLoop: group.next())
                try DashboardRoutes(configuration: configuration, directory: directory, feed: feed).add(to: &router)
            }
            let http = try await listen(group, router)
            return Running(
                group: group, loops: loops, http: http,
                webhooks: (webhooks?.queues ?? []) + journalWebhooks.queues + (notices?.queues ?? []),
                conversations: conversations, pushes: pushes)
        } catch {
            for loop in loops {
                try? await loop.close().get()
                await loop.end()
            }
            throw error
        }
    }

    private func makeJournalWebhooks(_ group: MultiThreadedEventLoopGroup) throws(CallServerError) -> JournalWebhooks {
        let webhooks: JournalWebhooks
        do { webhooks = try JournalWebhooks(configuration) { group.next() } } catch {
            throw .configuration(error.description)
        }
        if !webhooks.queues.isEmpty { journal.attach(webhooks.write) }
        return webhooks
    }

    private func makeWebhooks(_ group: MultiThreadedEventLoopGroup) throws(CallServerError) -> RoomWebhooks? {
        do { return try RoomWebhooks(configuration) { group.next() } } catch {
            throw .configuration(error.description)
        }
    }

    private func openConversations() throws(CallServerError) -> ConversationService {
        var settings = ConversationService.Settings()
        settings.directory = configuration.conversations.directory
        settings.template.autoJoinsCall = configuration.conversations.autoJoinsCall
        settings.coBrowsing = configuration.conversations.coBrowsing
        settings.files.policy = configuration.conversations.files
        do { return try ConversationService(settings) { WallClock.milliseconds } } catch {
            throw .configuration(error.description)
        }
    }

    private func makeNotices(_ group: MultiThreadedEventLoopGroup) throws(CallServerError) -> OpenTokNotices? {
        do { return try OpenTokNotices(configuration) { group.next() } } catch {
            throw .configuration(error.description)
        }
    }

    private func bindMedia(_ index: Int, _ settings: MediaSettings) async throws(CallServerError) -> ServerLoop {
        let loop: DatagramLoop
        do { loop = try DatagramLoop(name: "rooms-\(index)") } catch {
            throw .cannotBindMedia("no loop for media: \(SocketFault.words(error))")
        }
        do throws(CallServerError) { return try await bindMedia(on: loop, index, settings) } catch {
            try? await loop.shutdownGracefully()
            throw error
        }
    }

    private func bindMedia(
        on loop: DatagramLoop, _ index: Int, _ settings: MediaSettings
    ) async throws(CallServerError) -> ServerLoop {
        let port = configuration.media.port == 0 ? 0 : configuration.media.port + index
        var ports = UDPMuxConfiguration()
        ports.streamPort = configuration.media.tcpPort.map { $0 == 0 ? 0 : $0 + index }
        let mux: UDPMux
        do {
            mux = try await UDPMux.bind(
                on: loop, host: configuration.mediaHost, port: port, configuration: ports
            ).get()
        } catch {
            throw .cannotBindMedia("\(error)")
        }
        guard !mux.hostAddresses(settings.advertised).isEmpty else {
            try? await mux.close().get()
            throw .noMediaAddress(configuration.media.advertisedAddresses.first ?? configuration.mediaHost)
        }
        do {
            return try await loop.submit { [stalls] in
                ServerLoop(mux: mux, settings: settings, meter: stalls)
            }.get()
        } catch {
            throw .cannotBindMedia("\(error)")
        }
    }

    private func listen(
        _ group: MultiThreadedEventLoopGroup, _ router: HTTPRouter
    ) async throws(CallServerError) -> HTTPServer {
        let tls: NIOSSLContext?
        do throws(TLSError) {
            tls = try configuration.tls.map { files throws(TLSError) in
                try TLSServer.context(certificateFile: files.certificate, keyFile: files.key)
            }
        } catch {
            throw .configuration("\(error)")
        }
        do {
            return try await HTTPServer.listen(
                group: group, host: configuration.host, port: configuration.port, router: router,
                limits: HTTPLimits(configuration), tls: tls, meter: stalls, logger: configuration.logger
            ).get()
        } catch {
            throw .cannotListen("\(error)")
        }
    }

    /// Every dialect and every service adds its paths here.
    private func router(
        _ directory: RoomDirectory, _ rooms: RoomJournal, _ openTok: OpenTokService
    ) -> HTTPRouter {
        var router = HTTPRouter()
        router.get("/") { _ in HTTPResponse(.ok, "OK") }
        let descriptors = DescriptorEndpoint(
            configuration: configuration, service: service, calls: calls,
            occupancy: { directory.participants(in: $0) })
        router.any(DescriptorEndpoint.path) { descriptors.respond(to: $0) }
        RingEndpoint(hub: hub, keys: configuration.keys, isBusy: { rooms.hasCall(in: $0) }).add(to: &router)
        let settings = ConfigurationEndpoint(keyring: APIKeyring(keys: configuration.keys), service: service)
        settings.add(to: &router)
        LiveKitRoutes(configuration: configuration, directory: directory).add(to: &router)
        RoomService(configuration: configuration, directory: directory).add(to: &router)
        OpenTokRoutes(service: openTok, directory: directory).add(to: &router)
        WHIPRoutes(configuration: configuration, directory: directory).add(to: &router)
        return router
    }
}

extension HTTPLimits {
    fileprivate init(_ configuration: CallServerConfiguration) {
        self.init()
        connections = configuration.limits.connections
        webSocket.messageBytes = configuration.limits.signalMessage
        requestTimeout = .milliseconds(Int64(configuration.timing.request))
        webSocket.pingInterval = .milliseconds(Int64(configuration.timing.webSocketPing))
        webSocket.silenceLimit = .milliseconds(Int64(configuration.timing.webSocketSilence))
    }
}
