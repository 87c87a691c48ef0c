import CallBridge
import Logging
import MediaCore
import OpenTokClient
import OpenTokSignalling
import RTCWire

/// One call over an OpenTok-style session: the shell around `OpenTokMachine`, which decides everything. It hands in what
/// time, sockets and media bring, and does what comes out.
actor OpenTokLikeSession: ProviderSession {
    private nonisolated let home: any Actor
    private nonisolated let outlet: any EventOutlet
    let context: ProviderContext
    private let sockets: any SocketOpener
    let media: any PeerMedia
    private var time: any SessionTime
    private var machine: OpenTokMachine
    private var socket = NumberedSocket()
    private var waiting = WaitingCommands()
    var words: BridgeWords

    init(_ settings: ClientSettings, context: ProviderContext, _ footing: SessionFooting) {
        (home, outlet) = (footing.home, footing.outlet)
        (sockets, media, time) = (footing.sockets, footing.media, footing.time)
        self.context = context
        machine = OpenTokMachine(settings)
        words = BridgeWords(isEncrypted: context.media.frameEncryption != nil)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { home.unownedExecutor }
    nonisolated var events: AsyncStream<ProviderEvent> { outlet.stream }

    /// Returns when the server has let us in. Throws `CallError`.
    func join() async throws {
        media.report(to: self)
        try await withCheckedThrowingContinuation { (joined: CheckedContinuation<Void, any Error>) in
            waiting.joining = joined
            drive { $0.start($1, into: &$2) }
        }
    }

    var localParticipant: Participant { words.local }
    var settings: ClientSettings { machine.settings }

    func statistics() async -> SessionStatistics { await media.statistics() }

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

    func take(_ input: ClientInput) { drive { $0.handle(input, $1, into: &$2) } }

    private func drive(_ body: (inout OpenTokMachine, Instant, inout [ClientOutput]) -> Void) {
        var outputs: [ClientOutput] = []
        body(&machine, time.now, &outputs)
        for output in outputs { perform(output) }
        time.set(machine.nextDeadline, for: self)
    }

    func timePassed() {
        time.fired()
        drive { $0.advance(to: $1, into: &$2) }
    }

    private func perform(_ output: ClientOutput) {
        switch output {
        case .open(let request, let number):
            socket.number = number
            sockets.open(request, number, for: self)
        case .send(let bytes): socket.connection?.send(bytes)
        case .close(let code):
            let old = socket.connection
            socket.connection = nil
            waiting.sockets = Task { [before = waiting.sockets] in await close(old, code: code, behind: before) }
        case .peer(let action, let peer):
            if action == .close { words.closed(peer) }
            media.perform(action, peer)
        case .setActive(let isActive, let stream, let channel): waiting.published[stream]?[channel]?.isMuted = !isActive
        case .report(let event): tell(event)
        case .settle(let command, let result): waiting.settle(command, result)
        case .end(let end): ended(end)
        }
    }

    private func tell(_ event: ClientEvent) {
        for event in words.events(event) { outlet.push(event) }
        switch event {
        case .sessionConnected: waiting.joined()
        case .publisher(.streamDestroyed, let stream): forget(stream)
        default: break
        }
    }

    // MARK: Sockets

    /// A socket is open; false where it is not wanted any more.
    func opened(_ connection: any MessageSocket, _ number: Int) -> Bool {
        guard socket.number == number, !machine.hasEnded else { return false }
        socket.connection?.abandon()
        socket.connection = connection
        take(.opened(socket: number))
        return true
    }

    /// What we have closed ourselves is known.
    func closed(_ connection: any MessageSocket, _ number: Int, code: Int) {
        guard socket.connection === connection else { return }
        socket.connection = nil
        take(.closed(socket: number, code: code))
    }

    /// In our own turns, as all that we ask of sockets.
    private func close(_ connection: (any MessageSocket)?, code: Int, behind earlier: Task<Void, Never>?) async {
        await connection?.close(code: code)
        await earlier?.value
    }

    // MARK: Media

    func take(_ input: PeerInput) {
        switch input {
        case .report(let report, let peer): take(.peer(report, peer))
        case .profile(let profile): if let event = words.connected(srtpProfile: profile) { outlet.push(event) }
        case .arrived(let track, let peer): words.arrived(track, peer)
        case .levels(let levels, let peer): if let event = words.levels(levels, peer) { outlet.push(event) }
        case .addressLost(let address): socket.connection?.abandon(from: address)
        }
    }

    func keep(_ stream: PublishedStream) {
        waiting.published[stream.stream.id] = stream
        media.publish(stream, id: stream.stream.id)
    }

    func forget(_ stream: String) {
        waiting.published[stream] = nil
        media.withdraw(stream: stream)
        words.forget(published: stream)
    }

    // MARK: The end

    private func ended(_ end: ClientEnd) {
        waiting.refuse(end.error)
        let words = EndWords(end)
        waiting.closing = Task { await close(words) }
    }

    private func close(_ end: EndWords) async {
        time.set(nil, for: self)
        await media.close()
        socket.connection?.abandon()
        await waiting.sockets?.value
        // Told last: whoever hears it may stop the threads that all this ran on.
        if let exclusion = end.exclusion { outlet.push(.excluded(exclusion)) }
        outlet.push(.ended(end.reason, detail: end.detail))
        outlet.finish()
    }
}
