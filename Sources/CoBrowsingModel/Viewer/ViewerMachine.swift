/// Who watches, as a value: which frames are whole and may be composed, what is missing, and what is asked for again.
///
/// What comes is not trusted: frames that are not whole are held within bounds, tiles that do not fit their frame end the
/// session, and decoders see only what `compose` has let through.
package struct ViewerMachine: Sendable {
    /// Milliseconds until what is missing is asked for; doubled each time, up to four seconds.
    static let patience: Int64 = 250

    package enum Action: Sendable, Hashable {
        case send(CoBrowsingMessage)
        /// Decode and compose these tiles, all or none, and answer with `composed`.
        case compose(CoBrowsingMessage.FrameHeader, [CoBrowsingMessage.Tile])
        case report(Report)
    }

    package enum Report: Sendable, Hashable {
        /// Somebody shares from now on.
        case began(sharer: String, FrameSize)
        case ended(CoBrowsingEnd, String?)
    }

    private struct Watching: Sendable {
        var session: UInt32
        var sharer: String
        var size: FrameSize?
        /// Everything up to this frame is composed.
        var complete: UInt32 = 0
        /// The newest frame that we have heard of.
        var latest: UInt32 = 0
        var pending = PendingFrames()
        /// The frame that is being composed.
        var composing: UInt32?
        var refreshAt: Int64?
        var pause = ViewerMachine.patience
        var failures = 0
    }

    private var watching: Watching?
    private var isEnded = false

    package init() {}

    package var isWatching: Bool { watching != nil }
    package var sharer: String? { watching?.sharer }
    /// Everything up to this frame is composed.
    package var complete: UInt32 { watching?.complete ?? 0 }

    package mutating func receive(
        _ message: CoBrowsingMessage, from sender: String, now: Int64, into actions: inout [Action]
    ) {
        guard !isEnded else { return }
        switch message.body {
        case .welcome(let welcome) where sender.isEmpty:
            if let sharer = welcome.sharer, watching == nil { begin(message.session, sharer, nil, now, &actions) }
        case .refusal(let text) where sender.isEmpty:
            isEnded = true
            watching = nil
            actions.append(.report(.ended(.failed, text)))
        case .start(let size) where !sender.isEmpty && message.session != 0:
            guard watching == nil || watching?.session != message.session else { return }
            // The sharer's former session may have ended unheard; nobody else can take it over.
            guard watching == nil || watching?.sharer == sender else { return }
            begin(message.session, sender, size, now, &actions)
        case .stop(let reason):
            guard let watching, sender.isEmpty || sender == watching.sharer,
                message.session == watching.session || sender.isEmpty
            else { return }
            finish(reason, nil, &actions)
        case .frame, .tile, .status: fromSharer(message, sender, now, &actions)
        default: return
        }
    }

    private mutating func begin(
        _ session: UInt32, _ sharer: String, _ size: FrameSize?, _ now: Int64, _ actions: inout [Action]
    ) {
        watching = Watching(session: session, sharer: sharer, size: size)
        // The sharer sends everything to whom they hear of; asking again is for where that is lost.
        say(.refresh(complete: 0), &actions)
        watching?.refreshAt = now + 1_000
        if let size { actions.append(.report(.began(sharer: sharer, size))) }
    }

    private mutating func fromSharer(
        _ message: CoBrowsingMessage, _ sender: String, _ now: Int64, _ actions: inout [Action]
    ) {
        guard var watching, sender == watching.sharer, message.session == watching.session else { return }
        self.watching = nil
        var fault: String?
        switch message.body {
        case .frame(let header) where header.number > watching.complete:
            watching.latest = max(watching.latest, header.number)
            fault = watching.pending.add(header)
        case .tile(let tile) where tile.frame > watching.complete:
            fault = watching.pending.add(tile)
        case .status(let latest):
            watching.latest = max(watching.latest, latest)
            if latest <= watching.complete { say(.acknowledge(complete: watching.complete), watching, &actions) }
        default: break
        }
        self.watching = watching
        if let fault { return finish(.failed, fault, &actions) }
        composeNext(&actions)
        expect(now)
    }

    /// The frames that can be composed, one after another.
    private mutating func composeNext(_ actions: inout [Action]) {
        guard var watching, watching.composing == nil else { return }
        guard let (header, tiles) = watching.pending.next(after: watching.complete) else { return }
        if let size = watching.size, size != header.size, header.base != 0 {
            return finish(.failed, "frame \(header.number) has another size, and is no whole one", &actions)
        }
        let isFirst = watching.size == nil
        watching.size = header.size
        watching.composing = header.number
        self.watching = watching
        if isFirst { actions.append(.report(.began(sharer: watching.sharer, header.size))) }
        actions.append(.compose(header, tiles))
    }

    /// What became of `compose`. A frame that could not be decoded is asked for again, twice.
    package mutating func composed(_ number: UInt32, isGood: Bool, now: Int64, into actions: inout [Action]) {
        guard var watching, watching.composing == number else { return }
        watching.composing = nil
        if isGood {
            watching.complete = number
            watching.failures = 0
            watching.pause = Self.patience
            watching.refreshAt = nil
            watching.pending.drop(through: number)
            say(.acknowledge(complete: number), watching, &actions)
        } else {
            watching.failures += 1
            watching.pending.remove(number)
            guard watching.failures < 3 else {
                self.watching = watching
                return finish(.failed, "what \(watching.sharer) sends can't be decoded", &actions)
            }
            say(.refresh(complete: watching.complete), watching, &actions)
        }
        self.watching = watching
        composeNext(&actions)
        expect(now)
    }

    /// Sets the time at which what is missing is asked for.
    private mutating func expect(_ now: Int64) {
        guard let watching, watching.latest > watching.complete, watching.composing == nil else { return }
        if watching.refreshAt == nil { self.watching?.refreshAt = now + watching.pause }
    }

    /// When `advance` is wanted at the latest.
    package var deadline: Int64? { watching?.refreshAt }

    package mutating func advance(_ now: Int64, into actions: inout [Action]) {
        guard var watching, let at = watching.refreshAt, now >= at, watching.composing == nil else { return }
        watching.pause = min(watching.pause * 2, 4_000)
        watching.refreshAt = now + watching.pause
        self.watching = watching
        say(.refresh(complete: watching.complete), &actions)
    }

    /// Points, or asks for something. Nothing is sent while nobody shares.
    package func message(_ body: CoBrowsingMessage.Body) -> CoBrowsingMessage? {
        watching.map { CoBrowsingMessage($0.session, body) }
    }

    /// The channel is gone, or the conversation.
    package mutating func end(_ reason: CoBrowsingEnd, into actions: inout [Action]) {
        guard !isEnded else { return }
        isEnded = true
        guard watching != nil else { return }
        finish(reason, nil, &actions)
    }

    private mutating func finish(_ reason: CoBrowsingEnd, _ words: String?, _ actions: inout [Action]) {
        watching = nil
        actions.append(.report(.ended(reason, words)))
    }

    private func say(_ body: CoBrowsingMessage.Body, _ actions: inout [Action]) {
        guard let watching else { return }
        say(body, watching, &actions)
    }

    private func say(_ body: CoBrowsingMessage.Body, _ watching: Watching, _ actions: inout [Action]) {
        actions.append(.send(CoBrowsingMessage(watching.session, body)))
    }
}
