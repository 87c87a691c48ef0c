import CoBrowsingModel

/// A sharer and viewers in virtual time, with a seeded network between them that loses, delays and reorders. Tiles carry their
/// cells' hashes in place of a picture, so that what a viewer has composed can be held against the screen.
struct SessionBench {
    struct Network {
        var loss = 0.0
        /// Milliseconds.
        var delay: ClosedRange<Int64> = 20...20
    }

    private enum Destination { case sharer, viewer(Int) }
    private struct Packet {
        var at: Int64
        var order: Int
        var to: Destination
        var from: String
        var message: CoBrowsingMessage
    }

    static let size = FrameSize(width: 320, height: 200)!
    var network: Network
    var now: Int64 = 0
    var sharer: SharerMachine
    var viewers: [ViewerMachine]
    /// What each viewer has composed: a hash a cell.
    var canvases: [[UInt64]]
    /// What is on the screen: a hash a cell.
    var screen: [UInt64]
    var reports: [SharerMachine.Report] = []
    var watched: [ViewerMachine.Report] = []
    /// Frames by the time at which they were sent, and bytes of tiles by frame.
    var sentAt: [Int64] = []
    var bytes = 0
    var refreshes = 0
    /// Bytes of a cell in a tile.
    var cellBytes = 300
    private var flying: [Packet] = []
    private var order = 0
    private var random: SeededGenerator
    let grid = CellGrid(SessionBench.size)

    init(viewers count: Int = 1, network: Network = Network(), rate: Int = 5, seed: UInt64 = 1) {
        self.network = network
        random = SeededGenerator(seed)
        sharer = SharerMachine(session: 9, size: Self.size, isLossless: false, now: 0)
        viewers = (0..<count).map { _ in ViewerMachine() }
        canvases = Array(repeating: [UInt64](repeating: 0, count: grid.count), count: count)
        screen = (0..<grid.count).map { UInt64($0 + 1) }
        var properties = CoBrowsingProperties()
        properties.framesPerSecond = rate
        let welcome = CoBrowsingMessage.Welcome(
            properties: properties, participant: .contextPerson, sharer: nil)
        tell { $0.receive(CoBrowsingMessage(0, .welcome(welcome)), from: "", now: 0, into: &$1) }
    }

    /// The relay says that a viewer is there, who is told of the session.
    mutating func join(_ index: Int) {
        let now = now
        let welcome = CoBrowsingMessage.Welcome(
            properties: CoBrowsingProperties(), participant: .assignedAgent, sharer: "vera")
        tell {
            $0.receive(
                CoBrowsingMessage(9, .presence(person: "ada\(index)", isPresent: true)), from: "", now: now, into: &$1)
        }
        watch(index) { $0.receive(CoBrowsingMessage(9, .welcome(welcome)), from: "", now: now, into: &$1) }
    }

    mutating func change(_ cells: [Int]) {
        for cell in cells { screen[cell] = .random(in: 1 ... .max, using: &random) }
    }

    /// Lets time pass, and does `each` every 20 ms.
    mutating func run(_ milliseconds: Int64, _ each: (inout SessionBench) -> Void = { _ in }) {
        let end = now + milliseconds
        while now < end {
            each(&self)
            now += 20
            let now = now
            let due = flying.filter { $0.at <= now }.sorted { ($0.at, $0.order) < ($1.at, $1.order) }
            flying.removeAll { $0.at <= now }
            for packet in due {
                switch packet.to {
                case .sharer: tell { $0.receive(packet.message, from: packet.from, now: now, into: &$1) }
                case .viewer(let index):
                    watch(index) { $0.receive(packet.message, from: packet.from, now: now, into: &$1) }
                }
            }
            for index in viewers.indices { watch(index) { $0.advance(now, into: &$1) } }
            tell { $0.advance(now, into: &$1) }
            if let at = sharer.captureTime(now), at <= now { capture() }
        }
    }

    private mutating func capture() {
        let (now, digest) = (now, FrameDigest(grid: grid, hashes: screen))
        guard let plan = sharer.plan(digest, now: now) else { return }
        let tiles = plan.rects.map { rect in
            let content = grid.cells(in: rect).flatMap { cell in
                withUnsafeBytes(of: screen[cell].littleEndian) { Array($0) }
            }
            let padding = max(0, cellBytes * content.count / 8 - content.count)
            return SharerMachine.EncodedTile(
                rect: rect, format: .png, bytes: content + [UInt8](repeating: 0, count: padding))
        }
        sentAt.append(now)
        bytes += tiles.reduce(0) { $0 + $1.bytes.count }
        tell { $0.sent(plan, tiles, digest, now: now, into: &$1) }
    }

    mutating func tell(_ input: (inout SharerMachine, inout [SharerMachine.Action]) -> Void) {
        var actions: [SharerMachine.Action] = []
        input(&sharer, &actions)
        for action in actions {
            switch action {
            case .send(let message): for index in viewers.indices { send(message, .viewer(index), "vera") }
            case .report(let report): reports.append(report)
            }
        }
    }

    mutating func watch(_ index: Int, _ input: (inout ViewerMachine, inout [ViewerMachine.Action]) -> Void) {
        var actions: [ViewerMachine.Action] = []
        input(&viewers[index], &actions)
        var next = 0
        while next < actions.count {
            switch actions[next] {
            case .send(let message):
                if case .refresh = message.body { refreshes += 1 }
                send(message, .sharer, "ada\(index)")
            case .compose(let header, let tiles):
                for tile in tiles { compose(tile, index) }
                viewers[index].composed(header.number, isGood: true, now: now, into: &actions)
            case .report(let report): watched.append(report)
            }
            next += 1
        }
    }

    private mutating func compose(_ tile: CoBrowsingMessage.Tile, _ index: Int) {
        for (place, cell) in grid.cells(in: tile.rect).enumerated() {
            canvases[index][cell] = tile.bytes[place * 8..<place * 8 + 8].reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    private mutating func send(_ message: CoBrowsingMessage, _ to: Destination, _ from: String) {
        guard Double.random(in: 0..<1, using: &random) >= network.loss else { return }
        order += 1
        flying.append(
            Packet(
                at: now + .random(in: network.delay, using: &random), order: order, to: to, from: from,
                message: message))
    }
}
