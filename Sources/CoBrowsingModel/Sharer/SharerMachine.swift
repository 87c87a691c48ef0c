/// Who shares, as a value: when a frame may be captured, which parts of it are sent, what is sent again, and when it is over.
/// It sees hashes and sizes, never pixels.
///
///     welcome -> start -> [may capture -> plan -> tiles -> sent] ... -> ended
package struct SharerMachine: Sendable {
    /// Frames that a viewer may be behind before capturing waits for them.
    static let window: UInt32 = 10
    /// Milliseconds after which a silent viewer is not waited for.
    static let patience: Int64 = 5_000
    /// Milliseconds between two repairs for one viewer.
    static let repairInterval: Int64 = 500
    static let pointersPerSecond = 60

    private enum Phase: Sendable, Hashable {
        case joining
        case sharing
        case ended
    }

    private struct Cell: Sendable {
        var hash: UInt64
        /// The frame that it was last sent in.
        var frame: UInt32
        /// The step of the ladder that it was sent with.
        var step: Int
    }

    private let session: UInt32
    private let firstSize: FrameSize
    private var phase = Phase.joining
    private var grid: CellGrid?
    private var cells: [Cell] = []
    private var latest: UInt32 = 0
    private var viewers: [String: ViewerProgress] = [:]
    private var ladder: QualityLadder
    private var budget: ByteBudget
    private var interval: Int64 = 200
    private var lastCapture: Int64?
    private var statusAt: Int64?
    private var statusPause: Int64 = 500

    /// - Parameters:
    ///   - session: drawn at random, not 0.
    ///   - size: of the first frame.
    ///   - now: milliseconds, here and everywhere.
    package init(session: UInt32, size: FrameSize, isLossless: Bool, now: Int64) {
        self.session = session
        firstSize = size
        ladder = QualityLadder(isLossless: isLossless)
        budget = ByteBudget(framesPerSecond: 5, now: now)
    }

    package var isEnded: Bool { phase == .ended }
    /// Of the newest frame.
    package var size: FrameSize { grid?.size ?? firstSize }
    /// Frames that were sent.
    package var frames: UInt32 { latest }

    // MARK: Capturing

    /// When a frame may be captured; nil while nobody watches, or a viewer is too far behind.
    package mutating func captureTime(_ now: Int64) -> Int64? {
        guard phase == .sharing, !viewers.isEmpty, latest < .max - 1 else { return nil }
        let slowest = viewers.values.filter { now - $0.lastHeard < Self.patience }.map(\.acknowledged).min()
        if let slowest, latest - min(slowest, latest) >= Self.window, repairBase(now) == nil { return nil }
        return max(lastCapture.map { $0 + interval } ?? now, budget.ready(now), now)
    }

    /// Whether a frame is wanted though the screen has not changed: something is missing, or was sent worse than it could be.
    package mutating func wantsSameFrame(_ now: Int64) -> Bool {
        guard phase == .sharing else { return false }
        return repairBase(now) != nil || (budget.isFull(now) && cells.contains { $0.step > 0 })
    }

    /// A frame was captured, and is the one before.
    package mutating func unchanged(_ now: Int64) { lastCapture = now }

    /// Looks at a captured frame. Nil where nothing of it is to be sent.
    package mutating func plan(_ digest: FrameDigest, now: Int64) -> Plan? {
        guard phase == .sharing else { return nil }
        lastCapture = now
        let isNew = grid != digest.grid
        let base = isNew ? 0 : repairBase(now)
        if isNew { grid = digest.grid }
        let known = isNew ? [] : cells
        var dirty = digest.hashes.indices.map { index in
            base == 0 || known.isEmpty || known[index].hash != digest.hashes[index]
                || base.map { known[index].frame > $0 } == true
        }
        let available = max(budget.available(now), ByteBudget.bytesPerFrame)
        let isImprovement = !dirty.contains(true)
        if isImprovement {
            guard budget.isFull(now) else { return nil }
            dirty = improvements(known, available)
        }
        guard dirty.contains(true) else { return nil }
        let pixels = dirty.indices.reduce(0) { $0 + (dirty[$1] ? digest.grid.rect($1).area : 0) }
        let step = isImprovement ? 0 : ladder.step(pixels: pixels, bytes: available)
        let rects = TileLayout(digest.grid, density: ladder.density(step)).rects(dirty)
        for person in viewers.keys where viewers[person]?.missing.map({ $0 >= base ?? latest }) == true {
            viewers[person]?.missing = nil
            viewers[person]?.repairedAt = now
        }
        return Plan(
            number: latest + 1, base: base ?? latest, size: digest.grid.size, rects: rects, step: step,
            quality: ladder.steps[step])
    }

    /// Cells that could look better, as many as there is budget for.
    private func improvements(_ known: [Cell], _ available: Int) -> [Bool] {
        var left = available
        return known.indices.map { index in
            let cost = CellGrid.side * CellGrid.side * ladder.density(0) / 1_000
            guard known[index].step > 0, left >= cost else { return false }
            left -= cost
            return true
        }
    }

    /// What is to be sent again, for whoever misses it and was not served just now.
    private func repairBase(_ now: Int64) -> UInt32? {
        viewers.values.filter { viewer in
            viewer.repairedAt.map { now - $0 >= Self.repairInterval } ?? true
        }.compactMap(\.missing).min()
    }

    /// The tiles of a plan were encoded.
    package mutating func sent(
        _ plan: Plan, _ tiles: [EncodedTile], _ digest: FrameDigest, now: Int64, into actions: inout [Action]
    ) {
        guard phase == .sharing, !tiles.isEmpty, plan.number == latest + 1, digest.grid == grid else { return }
        if cells.count != digest.hashes.count {
            cells = digest.hashes.map { Cell(hash: $0, frame: plan.number, step: plan.step) }
        }
        latest = plan.number
        for cell in plan.rects.flatMap({ digest.grid.cells(in: $0) }) {
            cells[cell] = Cell(hash: digest.hashes[cell], frame: plan.number, step: plan.step)
        }
        let bytes = tiles.reduce(0) { $0 + $1.bytes.count }
        budget.spend(bytes, now)
        ladder.learn(plan.step, pixels: tiles.reduce(0) { $0 + $1.rect.area }, bytes: bytes)
        say(
            .frame(
                .init(
                    number: plan.number, base: plan.base, size: plan.size, tiles: tiles.count,
                    capturedAt: UInt32(truncatingIfNeeded: now))),
            &actions)
        for (index, tile) in tiles.enumerated() {
            say(
                .tile(
                    .init(frame: plan.number, index: index, rect: tile.rect, format: tile.format, bytes: tile.bytes)),
                &actions)
        }
        statusPause = 500
        statusAt = now + statusPause
    }

    // MARK: What comes

    package mutating func receive(
        _ message: CoBrowsingMessage, from sender: String, now: Int64, into actions: inout [Action]
    ) {
        guard phase != .ended else { return }
        switch message.body {
        case .welcome(let welcome) where sender.isEmpty: welcomed(welcome, now, &actions)
        case .presence(let person, let isPresent) where sender.isEmpty:
            isPresent ? meet(person, now, &actions) : leave(person, &actions)
        case .refusal(let text) where sender.isEmpty: end(.failed, text, &actions)
        case .stop(let reason) where sender.isEmpty: end(reason, nil, &actions)
        case .acknowledge, .refresh, .pointer, .action:
            guard phase == .sharing, message.session == session, !sender.isEmpty else { return }
            meet(sender, now, &actions)
            viewers[sender]?.lastHeard = now
            heard(message.body, sender, now, &actions)
        default: return
        }
    }

    private mutating func welcomed(
        _ welcome: CoBrowsingMessage.Welcome, _ now: Int64, _ actions: inout [Action]
    ) {
        guard phase == .joining else { return }
        if let sharer = welcome.sharer { return end(.failed, "\(sharer) is sharing already", &actions) }
        phase = .sharing
        let rate = min(max(welcome.properties.framesPerSecond, 1), CoBrowsingBounds.rates.upperBound)
        interval = Int64(1_000 / rate)
        budget = ByteBudget(framesPerSecond: rate, now: now)
        say(.start(firstSize), &actions)
        actions.append(.report(.began(welcome.properties, welcome.participant)))
    }

    private mutating func meet(_ person: String, _ now: Int64, _ actions: inout [Action]) {
        guard viewers[person] == nil, viewers.count < CoBrowsingBounds.viewers else { return }
        viewers[person] = ViewerProgress(now: now)
        actions.append(.report(.viewers(viewers.keys.sorted())))
    }

    private mutating func leave(_ person: String, _ actions: inout [Action]) {
        guard viewers.removeValue(forKey: person) != nil else { return }
        actions.append(.report(.viewers(viewers.keys.sorted())))
    }

    private mutating func heard(
        _ body: CoBrowsingMessage.Body, _ sender: String, _ now: Int64, _ actions: inout [Action]
    ) {
        guard var viewer = viewers[sender] else { return }
        switch body {
        // Numbers that we never sent mean nothing.
        case .acknowledge(let complete) where complete <= latest && complete >= viewer.acknowledged:
            viewer.acknowledged = complete
            if viewer.missing.map({ $0 < complete }) == true { viewer.missing = nil }
        case .refresh(let complete) where complete <= latest:
            // What they asked for before is under way; if it is lost, they ask again.
            guard viewer.repairedAt.map({ now - $0 >= Self.repairInterval }) ?? true else { break }
            viewer.missing = complete == latest && complete > 0 ? nil : complete
            viewer.acknowledged = complete == 0 ? 0 : max(viewer.acknowledged, complete)
        case .pointer(let pointer):
            if now - viewer.pointersSince >= 1_000 { (viewer.pointers, viewer.pointersSince) = (0, now) }
            viewer.pointers += 1
            if viewer.pointers <= Self.pointersPerSecond { actions.append(.report(.pointer(pointer, from: sender))) }
        case .action(.stop): return stop(.stoppedByViewer, into: &actions)
        case .action(let action): actions.append(.report(.action(action, from: sender)))
        default: break
        }
        viewers[sender] = viewer
    }

    // MARK: Time and end

    /// When `advance` is wanted at the latest.
    package var deadline: Int64? { phase == .sharing && isAwaited ? statusAt : nil }

    private var isAwaited: Bool { viewers.values.contains { $0.acknowledged < latest } }

    /// Somebody has not acknowledged the newest frame: they may have heard nothing of it.
    package mutating func advance(_ now: Int64, into actions: inout [Action]) {
        guard phase == .sharing, let at = statusAt, now >= at, isAwaited else { return }
        say(.status(latest: latest), &actions)
        statusPause = min(statusPause * 2, 5_000)
        statusAt = now + statusPause
    }

    /// Ends the session, and says so. Later calls do nothing.
    package mutating func stop(_ reason: CoBrowsingEnd, into actions: inout [Action]) {
        guard phase != .ended else { return }
        if phase == .sharing { say(.stop(reason), &actions) }
        end(reason, nil, &actions)
    }

    /// Nothing can be captured or encoded any more.
    package mutating func fail(_ words: String, into actions: inout [Action]) {
        guard phase != .ended else { return }
        if phase == .sharing { say(.stop(.failed), &actions) }
        end(.failed, words, &actions)
    }

    private mutating func end(_ reason: CoBrowsingEnd, _ words: String?, _ actions: inout [Action]) {
        phase = .ended
        viewers = [:]
        actions.append(.report(.ended(reason, words)))
    }

    private func say(_ body: CoBrowsingMessage.Body, _ actions: inout [Action]) {
        actions.append(.send(CoBrowsingMessage(session, body)))
    }
}
