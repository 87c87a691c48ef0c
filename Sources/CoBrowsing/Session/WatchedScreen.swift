import ClientModel
public import CoBrowsingModel

/// What somebody else shares in a conversation, decoded and composed. It stays while sharing begins and ends, until it is
/// stopped, the conversation ends or its connection is lost.
public actor WatchedScreen: CoBrowsingSession {
    /// What happens, for one reader; ends with the session. Who falls behind misses the oldest.
    public nonisolated let events: AsyncStream<WatchingEvent>
    /// The picture; nil while nobody shares, and before it is whole.
    public private(set) var picture: ScreenFrame?
    /// Who shares; nil while nobody does.
    public var sharer: String? { machine.sharer }

    private nonisolated let over = EndOfSession()
    private nonisolated let say: AsyncStream<WatchingEvent>.Continuation
    private let channel: any CoBrowsingChannel
    private let clock: any SharingClock
    private let codec = TileCodec()
    private var machine = ViewerMachine()
    private var tasks: [Task<Void, Never>] = []
    private var sleeper: Task<Void, Never>?
    private var isOver = false
    private var lastEnd: CoBrowsingEnd?

    init(channel: any CoBrowsingChannel, clock: any SharingClock) {
        (events, say) = AsyncStream.makeStream(of: WatchingEvent.self, bufferingPolicy: .bufferingNewest(1_024))
        self.channel = channel
        self.clock = clock
    }

    func begin() {
        tasks = [
            Task { [weak self, incoming = channel.incoming] in
                for await envelope in incoming { await self?.heard(envelope) }
                await self?.lost()
            },
            Task { [weak self] in
                await self?.pace()
            },
        ]
    }

    /// Returns when it is over, and why.
    public nonisolated func end() async -> CoBrowsingEnd { await over.wait() }

    /// Stops watching. Sharing goes on.
    public func stop(_ reason: CoBrowsingEnd = .stopped) async {
        finish(reason)
        _ = await over.wait()
    }

    /// Points at something of the picture. Nothing happens while nobody shares.
    public func point(_ pointer: CoBrowsingPointer) { send(.pointer(pointer)) }

    /// Asks whoever shares to stop, or to come back to the conversation, or takes that back. Nothing happens while nobody
    /// shares.
    public func ask(_ action: CoBrowsingAction) { send(.action(action)) }

    private func send(_ body: CoBrowsingMessage.Body) {
        if let message = machine.message(body) { channel.send(message.bytes) }
    }

    /// A viewer has no signs of sharing.
    public func indicate(_ event: CoBrowsingIndicators.Event) -> [CoBrowsingIndicators.Action] { [] }

    // MARK: The machine

    private func heard(_ envelope: CoBrowsingEnvelope) {
        guard !isOver, let message = try? CoBrowsingMessage(parsing: envelope.message) else { return }
        let before = machine.deadline
        let now = clock.now
        put { $0.receive(message, from: envelope.sender, now: now, into: &$1) }
        if machine.deadline != before { sleeper?.cancel() }
    }

    private func lost() {
        guard !isOver else { return }
        finish(lastEnd == .conversationEnded ? .conversationEnded : .connectionLost)
    }

    private func step() -> Int64? {
        guard !isOver else { return nil }
        let now = clock.now
        put { $0.advance(now, into: &$1) }
        return machine.deadline ?? now + 60_000
    }

    /// Nothing comes in between a step and the rest after it: no message's wake-up is lost.
    private func pace() async {
        while let at = step(), !Task.isCancelled { await rest(until: at) }
    }

    private func rest(until time: Int64) async {
        guard time > clock.now else { return await Task.yield() }
        let sleeper = Task { [clock] in _ = try? await clock.wait(until: time) }
        self.sleeper = sleeper
        await withTaskCancellationHandler {
            await sleeper.value
        } onCancel: {
            sleeper.cancel()
        }
    }

    private func put(_ input: (inout ViewerMachine, inout [ViewerMachine.Action]) -> Void) {
        var actions: [ViewerMachine.Action] = []
        input(&machine, &actions)
        var next = 0
        while next < actions.count {
            switch actions[next] {
            case .send(let message): channel.send(message.bytes)
            case .compose(let header, let tiles):
                let isGood = compose(header, tiles)
                machine.composed(header.number, isGood: isGood, now: clock.now, into: &actions)
            case .report(.began(let sharer, let size)): say.yield(.began(sharer: sharer, size))
            case .report(.ended(let reason, let words)):
                picture = nil
                lastEnd = reason
                say.yield(.ended(reason, words))
            }
            next += 1
        }
    }

    /// All tiles of a frame, or none.
    private func compose(_ header: CoBrowsingMessage.FrameHeader, _ tiles: [CoBrowsingMessage.Tile]) -> Bool {
        var decoded: [[UInt8]] = []
        for tile in tiles {
            guard let rgb = codec.decode(tile) else { return false }
            decoded.append(rgb)
        }
        if picture?.size != header.size { picture = nil }
        var canvas = picture.take() ?? ScreenFrame(size: header.size)
        for (tile, rgb) in zip(tiles, decoded) { canvas.put(rgb: rgb, at: tile.rect) }
        picture = canvas
        say.yield(.changed(tiles.map(\.rect)))
        return true
    }

    private func finish(_ reason: CoBrowsingEnd) {
        guard !isOver else { return }
        isOver = true
        put { $0.end(reason, into: &$1) }
        say.finish()
        for task in tasks { task.cancel() }
        sleeper?.cancel()
        Task { [channel, over] in
            await channel.close()
            over.set(reason)
        }
    }
}
