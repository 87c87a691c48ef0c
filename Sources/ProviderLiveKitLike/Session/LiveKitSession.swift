import CallBridge
import LiveKitProtocol
import Logging
import MediaCore

/// One call over LiveKit's protocol: the shell around `SignallingMachine`, which decides everything. It reads the clock and
/// the socket, hands both in, and does what comes out. It outlives its sockets and its media connections.
actor LiveKitSession: ProviderSession {
    nonisolated let events: AsyncStream<ProviderEvent>
    private nonisolated let report: AsyncStream<ProviderEvent>.Continuation
    let joiner: SessionJoiner
    private var machine: SignallingMachine
    private var signal: SignalConnection
    private var media: MediaConnections
    private var replaced = ReplacedConnections()
    private var commands = PendingCommands()
    private var timer: SessionTimer
    /// Closes everything at the end of the call.
    private var closing: Task<Void, Never>?

    private var clock: MediaClock { joiner.context.clock }
    private var logger: Logger { joiner.context.logger }

    init(_ joined: SessionJoiner.Joined, joiner: SessionJoiner, token: String, policy: ReconnectPolicy) {
        (events, report) = AsyncStream.makeStream(of: ProviderEvent.self)
        self.joiner = joiner
        signal = joined.signal
        media = MediaConnections(joined, logger: joiner.context.logger)
        timer = SessionTimer(clock: joiner.context.clock)
        machine = SignallingMachine(
            joined.session, server: joined.server, token: token, settings: joiner.settings(policy),
            now: joiner.context.clock.now)
    }

    /// Starts listening after the first join.
    func begin(_ joined: SessionJoiner.Joined) {
        listenToMedia()
        perform(machine.begin(joined.session, now: clock.now))
    }

    var localParticipant: Participant { machine.localParticipant }

    func statistics() async -> SessionStatistics {
        // Both at one moment: a full reconnect may come in between.
        let (media, counted) = (media, replaced.counted)
        var result = await media.statistics()
        result.addReplaced(counted)
        return result
    }

    /// Asks the machine for something, and waits for its answer.
    @discardableResult
    func ask(_ command: SignallingCommand) async throws -> CommandValue {
        try await withCheckedThrowingContinuation { take(.command(command, commands.add($0))) }
    }

    func leave() async {
        take(.leave)
        await closing?.value
    }

    // MARK: Driving the machine

    // Not inlined, nor the next one: what they hold for a moment would stand in the memory of tasks that last as long as
    // the call.
    @inline(never)
    private func take(_ input: SignallingInput) { perform(machine.handle(input, now: clock.now)) }

    @inline(never)
    private func timePassed() {
        timer.fired()
        perform(machine.advance(to: clock.now))
    }

    private func perform(_ outputs: [SignallingOutput]) {
        for output in outputs { perform(output) }
        timer.set(machine.nextDeadline) { [weak self] in await self?.timePassed() }
    }

    private func perform(_ output: SignallingOutput) {
        switch output {
        case .send(let message): signal.send(message)
        case .media(let action): media.perform(action)
        case .report(let event): report.yield(event)
        case .settle(let command, let result): commands.settle(command, result)
        case .protect(let track, let protection): track.protection = protection
        case .mute(let track, let isMuted): track.isMuted = isMuted
        case .setInjectionTrailer(let trailer): joiner.context.media.frameEncryption?.setInjectionTrailer(trailer)
        case .listen(let socket): listen(socket)
        // It is not waited for: its path may be dead.
        case .dropSocket: signal.abandon()
        // Told at once: media goes on in a moment, and that isn't to count as the end of the repair.
        case .dropSocketFrom(let address, let socket): if signal.abandon(from: address) { take(.socketClosed(socket)) }
        case .resume(let attempt, let resumption): resume(attempt, resumption)
        case .join(let attempt): join(attempt)
        case .end(let reason, let detail): closing = Task { await close(reason, detail) }
        case .log(let level, let text, let metadata): logger.log(level: level, "\(text)", metadata: metadata)
        }
    }

    // MARK: Listening

    /// Ends with the socket, and not before it has handed on everything that had come.
    private func listen(_ socket: Int) {
        let messages = signal.messages
        Task { [weak self] in
            for await message in messages { await self?.take(.message(message, socket: socket)) }
            await self?.take(.socketClosed(socket))
        }
    }

    private func listenToMedia() {
        let (inputs, connections) = (media.inputs, machine.negotiation.connections)
        Task { [weak self] in
            for await input in inputs { await self?.take(.media(input, connections: connections)) }
        }
    }

    // MARK: Connecting again

    private func resume(_ attempt: SignallingOutput.Attempt, _ resumption: ClientIdentity.Request.Resumption) {
        let isSingle = machine.paths.isSingle
        Task { [joiner] in
            do throws(JoinFailure) {
                let (signal, response) = try await joiner.resume(attempt, resumption, single: isSingle)
                resumed(signal, response)
            } catch {
                take(.resumed(.failure(error)))
            }
        }
    }

    private func resumed(_ fresh: SignalConnection, _ response: Livekit_ReconnectResponse) {
        guard !machine.hasEnded else { return fresh.abandon() }
        signal = fresh
        take(.resumed(.success(response)))
    }

    private func join(_ attempt: SignallingOutput.Attempt) {
        Task { [joiner] in
            do throws(JoinFailure) {
                await joined(try await joiner.join(attempt.server, token: attempt.token, retries: 0))
            } catch {
                take(.joined(.failure(error)))
            }
        }
    }

    private func joined(_ joined: SessionJoiner.Joined) async {
        let (fresh, counted) = (MediaConnections(joined, logger: logger), await statistics())
        guard !machine.hasEnded else {
            joined.signal.abandon()
            return await fresh.close()
        }
        replaced.add(media, counted: counted)
        (signal, media) = (joined.signal, fresh)
        let outputs = machine.handle(.joined(.success(joined.session)), now: clock.now)
        listenToMedia()
        perform(outputs)
    }

    private func close(_ reason: CallEndReason, _ detail: String) async {
        timer.cancel()
        await media.close()
        await replaced.close()
        await signal.close()
        // Told last: whoever hears it may stop the threads that all this ran on.
        report.yield(.ended(reason, detail: detail))
        report.finish()
    }
}
