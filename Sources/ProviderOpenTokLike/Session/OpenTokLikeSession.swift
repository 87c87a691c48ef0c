import CallBridge
import Logging
import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCWire
import WebClient

/// One call over an OpenTok-style session: the shell around `OpenTokMachine`, which decides everything. It reads the clock
/// and the socket, hands both in, and does what comes out.
actor OpenTokLikeSession: ProviderSession {
    nonisolated let events: AsyncStream<ProviderEvent>
    private nonisolated let report: AsyncStream<ProviderEvent>.Continuation
    let context: ProviderContext
    private let server: MessagingServer
    let peers: PeerConnections
    private var machine: OpenTokMachine
    private var socket = NumberedSocket()
    private var waiting = WaitingCommands()
    private var timer: SessionTimer
    var words: BridgeWords

    /// Throws `CallError`.
    init(_ settings: ClientSettings, context: ProviderContext) throws(CallError) {
        server = try MessagingServer(settings.info.messagingURL, trust: context.trust.roots)
        (events, report) = AsyncStream.makeStream(of: ProviderEvent.self)
        self.context = context
        peers = PeerConnections(context, host: server.address.host)
        machine = OpenTokMachine(settings)
        timer = SessionTimer(clock: context.clock)
        words = BridgeWords(isEncrypted: context.media.frameEncryption != nil)
    }

    /// Returns when the server has let us in. Throws `CallError`.
    func join() async throws {
        listenToPeers()
        try await withCheckedThrowingContinuation { (joined: CheckedContinuation<Void, any Error>) in
            waiting.joining = joined
            drive { $0.start($1, into: &$2) }
        }
    }

    var localParticipant: Participant { words.local }
    var settings: ClientSettings { machine.settings }

    func statistics() async -> SessionStatistics { await peers.statistics() }

    /// Asks the machine for something, and waits for its answer. Throws `CallError`.
    func ask(_ command: ClientCommand) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let id = waiting.add(continuation)
            take(.command(command, id))
        }
    }

    func leave() async {
        take(.leave)
        await waiting.closing?.value
    }

    // MARK: Driving the machine

    private func take(_ input: ClientInput) { drive { $0.handle(input, $1, into: &$2) } }

    private func drive(_ body: (inout OpenTokMachine, Instant, inout [ClientOutput]) -> Void) {
        var outputs: [ClientOutput] = []
        body(&machine, Instant(nanoseconds: context.clock.now.nanoseconds), &outputs)
        for output in outputs { perform(output) }
        let deadline = machine.nextDeadline.map { MediaTime(nanoseconds: $0.nanoseconds) }
        timer.set(deadline) { [weak self] in await self?.timePassed() }
    }

    private func timePassed() {
        timer.fired()
        drive { $0.advance(to: $1, into: &$2) }
    }

    private func perform(_ output: ClientOutput) {
        switch output {
        case .open(let request, let number): open(request, number)
        case .send(let bytes): socket.connection?.send(bytes)
        case .close(let code):
            let old = socket.connection
            socket.connection = nil
            waiting.sockets = Task { [before = waiting.sockets] in
                await old?.close(code: code)
                await before?.value
            }
        case .peer(let action, let peer):
            if action == .close { words.closed(peer) }
            peers.perform(action, peer)
        case .setActive(let isActive, let stream, _): waiting.published[stream]?.isMuted = !isActive
        case .report(let event): tell(event)
        case .settle(let command, let result): waiting.settle(command, result)
        case .end(let end): ended(end)
        }
    }

    private func tell(_ event: ClientEvent) {
        for event in words.events(event) { report.yield(event) }
        switch event {
        case .sessionConnected: waiting.joined()
        case .publisher(.streamDestroyed, let stream): forget(stream)
        default: break
        }
    }

    // MARK: Sockets

    private func open(_ request: RumorSocketRequest, _ number: Int) {
        socket.number = number
        Task { [server] in
            guard let connection = await server.open(request) else {
                return take(.closed(socket: number, code: 1006))
            }
            opened(connection, number)
        }
    }

    private func opened(_ connection: WebSocketConnection<[UInt8]>, _ number: Int) {
        guard socket.number == number, !machine.hasEnded else { return connection.abandon() }
        socket.connection?.abandon()
        socket.connection = connection
        Task { [weak self] in
            for await message in connection.messages { await self?.take(.message(message, socket: number)) }
            await self?.closed(connection, number)
        }
        take(.opened(socket: number))
    }

    /// What we have closed ourselves is known.
    private func closed(_ connection: WebSocketConnection<[UInt8]>, _ number: Int) {
        guard socket.connection === connection else { return }
        socket.connection = nil
        take(.closed(socket: number, code: connection.closeCode))
    }

    // MARK: Media

    private func listenToPeers() {
        let inputs = peers.inputs
        Task { [weak self] in for await input in inputs { await self?.take(input) } }
    }

    private func take(_ input: PeerInput) {
        switch input {
        case .report(let report, let peer): take(.peer(report, peer))
        case .profile(let profile): if let event = words.connected(srtpProfile: profile) { report.yield(event) }
        case .arrived(let track, let peer): words.arrived(track, peer)
        case .levels(let levels, let peer): if let event = words.levels(levels, peer) { report.yield(event) }
        }
    }

    func keep(_ track: PublishedTrack, stream: String) {
        waiting.published[stream] = track
        peers.publish(track, stream: stream)
    }

    func forget(_ stream: String) {
        waiting.published[stream] = nil
        peers.withdraw(stream: stream)
        words.forget(published: stream)
    }

    // MARK: The end

    private func ended(_ end: ClientEnd) {
        waiting.refuse(end.error)
        let words = EndWords(end)
        waiting.closing = Task { await close(words) }
    }

    private func close(_ end: EndWords) async {
        timer.cancel()
        await peers.close()
        socket.connection?.abandon()
        await waiting.sockets?.value
        // Told last: whoever hears it may stop the threads that all this ran on.
        if let exclusion = end.exclusion { report.yield(.excluded(exclusion)) }
        report.yield(.ended(end.reason, detail: end.detail))
        report.finish()
    }
}
