import ClientModel
public import CoBrowsingModel

/// A screen that is shared in a conversation.
///
/// Captures from its source as often as frames may be sent, covers what is private, and sends what has changed. Only frames
/// of the size and the place that the capturing frame shows are sent.
public actor SharedScreen: CoBrowsingSession {
    /// What happens, for one reader; ends with the session.
    public nonisolated let events: AsyncStream<SharingEvent>
    /// What was sent.
    public private(set) var statistics = SharingStatistics()

    private nonisolated let over = EndOfSession()
    private nonisolated let say: AsyncStream<SharingEvent>.Continuation
    private let channel: any CoBrowsingChannel
    private let source: any FrameSource
    private let configuration: ScreenCoBrowsing.Configuration
    private let privacy: PrivacyStore
    private let clock: any SharingClock
    private let codec = TileCodec()
    private var machine: SharerMachine?
    private var indicators: CoBrowsingIndicators?
    private var last: (frame: ScreenFrame, masks: PrivacyMasks)?
    private var tasks: [Task<Void, Never>] = []
    private var sleeper: Task<Void, Never>?
    private var beginning: CheckedContinuation<Void, any Error>?

    init(
        channel: any CoBrowsingChannel, source: any FrameSource, configuration: ScreenCoBrowsing.Configuration,
        privacy: PrivacyStore, clock: any SharingClock
    ) {
        (events, say) = AsyncStream.makeStream(of: SharingEvent.self, bufferingPolicy: .bufferingNewest(1_024))
        self.channel = channel
        self.source = source
        self.configuration = configuration
        self.privacy = privacy
        self.clock = clock
    }

    // MARK: Life

    /// Returns when others can watch. Throws `FrameSourceError` with what is in the way.
    func begin() async throws {
        let first: ScreenFrame?
        do {
            try checkViews()
            first = try await source.capture()
        } catch {
            await source.close()
            await channel.close()
            throw error
        }
        guard let first else {
            await source.close()
            await channel.close()
            throw FrameSourceError("the frame source has no frame")
        }
        machine = SharerMachine(
            session: .random(in: 1 ... .max), size: first.size, isLossless: configuration.format == .png, now: clock.now
        )
        indicators = nil
        try await withCheckedThrowingContinuation { continuation in
            beginning = continuation
            tasks = [reader(), pacer(), patience()]
        }
    }

    private func checkViews() throws {
        guard source.reportsViews || privacy.masks.views.isEmpty else {
            throw FrameSourceError(
                "the frame source does not say where views lie, so private ones can't be covered; use private areas")
        }
    }

    private func reader() -> Task<Void, Never> {
        Task { [weak self, incoming = channel.incoming] in
            for await envelope in incoming { await self?.heard(envelope) }
            await self?.put { $0.stop(.connectionLost, into: &$1) }
        }
    }

    private func pacer() -> Task<Void, Never> {
        Task { [weak self] in
            await self?.pace()
        }
    }

    /// A server that never lets us share is not waited for.
    private func patience() -> Task<Void, Never> {
        Task { [weak self, clock] in
            do { try await clock.wait(until: clock.now + 10_000) } catch { return }
            await self?.giveUp()
        }
    }

    private func giveUp() {
        guard beginning != nil else { return }
        put { $0.stop(.connectionLost, into: &$1) }
    }

    /// Returns when the session is over, and why.
    public nonisolated func end() async -> CoBrowsingEnd { await over.wait() }

    /// Ends the session. Nothing leaves after it.
    public func stop(_ reason: CoBrowsingEnd = .stopped) async {
        put { $0.stop(reason, into: &$1) }
        _ = await over.wait()
    }

    // MARK: Frames

    /// Does what is due, and says when to come again; nil at the end.
    private func step() async -> Int64? {
        guard machine?.isEnded == false else { return nil }
        let now = clock.now
        put { $0.advance(now, into: &$1) }
        guard let at = machine?.captureTime(now) else { return min(machine?.deadline ?? .max, now + 1_000) }
        guard at <= now else { return min(at, machine?.deadline ?? .max) }
        do {
            try checkViews()
            guard let frame = try await source.capture() else {
                put { $0.stop(.sourceEnded, into: &$1) }
                return nil
            }
            return look(at: frame)
        } catch {
            fail("\(error)")
            return nil
        }
    }

    /// The masks are read when the frame is there: what became private while it was captured is covered.
    private func look(at frame: ScreenFrame) -> Int64? {
        let now = clock.now
        let masks = privacy.masks
        statistics.captured += 1
        if let last, last.frame.isSame(as: frame), last.masks == masks, machine?.wantsSameFrame(now) == false {
            machine?.unchanged(now)
            return now
        }
        if last?.frame.size != frame.size { indicate(.moved(frame.size.rect)) }
        last = (frame, masks)
        let masked = MaskedFrame(frame, masks)
        let digest = masked.digest()
        guard let plan = machine?.plan(digest, now: now) else { return now }
        var tiles: [SharerMachine.EncodedTile] = []
        for rect in plan.rects {
            let encoded = codec.encode(masked, rect, configuration.format, quality: plan.quality)
            guard !encoded.isEmpty else {
                fail("a tile can't be encoded")
                return nil
            }
            tiles += encoded
        }
        put { $0.sent(plan, tiles, digest, now: now, into: &$1) }
        count(plan, tiles, since: now)
        return now
    }

    private func count(_ plan: SharerMachine.Plan, _ tiles: [SharerMachine.EncodedTile], since: Int64) {
        statistics.frames += 1
        statistics.tiles += tiles.count
        guard configuration.measures else { return }
        let sizes = tiles.map(\.bytes.count)
        say.yield(
            .frameSent(
                FrameMeasures(
                    number: plan.number, tiles: tiles.count, bytes: sizes.reduce(0, +), largestTile: sizes.max() ?? 0,
                    smallestTile: sizes.min() ?? 0, quality: plan.quality, milliseconds: Int(clock.now - since))))
    }

    /// Nothing comes in between a step and the rest after it: no message's wake-up is lost.
    private func pace() async {
        while let at = await step(), !Task.isCancelled { await rest(until: at) }
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

    // MARK: The machine

    private func heard(_ envelope: CoBrowsingEnvelope) {
        guard let message = try? CoBrowsingMessage(parsing: envelope.message) else { return }
        let now = clock.now
        put { $0.receive(message, from: envelope.sender, now: now, into: &$1) }
        // A viewer came, or misses something: that may be due now.
        sleeper?.cancel()
    }

    private func put(_ input: (inout SharerMachine, inout [SharerMachine.Action]) -> Void) {
        guard var machine else { return }
        var actions: [SharerMachine.Action] = []
        self.machine = nil
        input(&machine, &actions)
        self.machine = machine
        for action in actions {
            switch action {
            case .send(let message):
                let bytes = message.bytes
                statistics.bytes += bytes.count
                channel.send(bytes)
            case .report(let report): announce(report)
            }
        }
    }

    private func announce(_ report: SharerMachine.Report) {
        switch report {
        case .began(let properties, let participant):
            let size = last?.frame.size ?? machine?.size
            guard let size else { return }
            indicators = CoBrowsingIndicators(
                properties: properties, participant: participant,
                screen: configuration.screen ?? CoBrowsingIndicators.Screen(size: size))
            indicate(.began(configuration.capturingFrame ?? size.rect))
            beginning.take()?.resume()
        case .viewers(let people): say.yield(.viewers(people))
        case .pointer(let pointer, let person): say.yield(.pointer(pointer, from: person))
        case .action(let action, let person): say.yield(.action(action, from: person))
        case .ended(let reason, let words): finish(reason, words)
        }
    }

    private func fail(_ words: String) { put { $0.fail(words, into: &$1) } }

    private func finish(_ reason: CoBrowsingEnd, _ words: String?) {
        indicate(.ended)
        say.yield(.ended(reason, words))
        say.finish()
        for task in tasks { task.cancel() }
        sleeper?.cancel()
        beginning.take()?.resume(throwing: FrameSourceError(words ?? "the session ended before it began: \(reason)"))
        Task { [channel, source, over] in
            await source.close()
            await channel.close()
            over.set(reason)
        }
    }

    // MARK: The signs of sharing

    /// Tells the signs of sharing something, and stops where that follows.
    @discardableResult
    public func indicate(_ event: CoBrowsingIndicators.Event) -> [CoBrowsingIndicators.Action] {
        let actions = indicators?.apply(event) ?? []
        for action in actions {
            switch action {
            case .show(let appearance): say.yield(.indicators(appearance))
            case .warnOfInvisibleSharing: say.yield(.sharingIsInvisible)
            case .stopSharing: put { $0.stop(.stopped, into: &$1) }
            case .returnToConversation: break
            }
        }
        return actions
    }
}
