import CoBrowsingModel
import Testing

@Suite struct ViewerTests {
    private static let size = SessionBench.size

    private var machine = ViewerMachine()
    private var actions: [ViewerMachine.Action] = []

    init() { receive(.start(Self.size)) }

    private mutating func receive(
        _ body: CoBrowsingMessage.Body, from: String = "vera", session: UInt32 = 9, now: Int64 = 0
    ) {
        machine.receive(CoBrowsingMessage(session, body), from: from, now: now, into: &actions)
    }

    private static func header(_ number: UInt32, base: UInt32, tiles: Int) -> CoBrowsingMessage.Body {
        .frame(.init(number: number, base: base, size: size, tiles: tiles, capturedAt: 0))
    }

    private static func tile(
        _ frame: UInt32, _ index: Int, _ rect: PixelRect = PixelRect(x: 0, y: 0, width: 64, height: 64)
    )
        -> CoBrowsingMessage.Body
    { .tile(.init(frame: frame, index: index, rect: rect, format: .jpeg, bytes: [1])) }

    private var composed: [UInt32] {
        actions.compactMap { if case .compose(let header, _) = $0 { header.number } else { nil } }
    }

    private var end: ViewerMachine.Report? {
        actions.compactMap { if case .report(let report) = $0 { report } else { nil } }.last
    }

    @Test mutating func framesAreComposedWhole() {
        #expect(actions.contains(.report(.began(sharer: "vera", Self.size))))
        receive(Self.tile(1, 1, PixelRect(x: 64, y: 0, width: 64, height: 64)))
        receive(Self.header(1, base: 0, tiles: 2))
        #expect(composed.isEmpty)
        receive(Self.tile(1, 0))
        #expect(composed == [1])
        receive(Self.header(2, base: 1, tiles: 1))
        receive(Self.tile(2, 0))
        #expect(composed == [1], "one after another")
        machine.composed(1, isGood: true, now: 10, into: &actions)
        #expect(composed == [1, 2] && actions.contains(.send(CoBrowsingMessage(9, .acknowledge(complete: 1)))))
    }

    @Test mutating func aFrameThatNeedsAnotherWaits() {
        receive(Self.header(5, base: 4, tiles: 1), now: 5_000)
        receive(Self.tile(5, 0), now: 5_000)
        #expect(composed.isEmpty && machine.deadline == 1_000, "the first frame is still awaited")
        actions = []
        machine.advance(5_000, into: &actions)
        #expect(actions == [.send(CoBrowsingMessage(9, .refresh(complete: 0)))])
        receive(Self.header(6, base: 0, tiles: 1))
        receive(Self.tile(6, 0))
        #expect(composed == [6])
        machine.composed(6, isGood: true, now: 5_100, into: &actions)
        #expect(composed == [6] && machine.deadline == nil, "what came before is in it")
    }

    /// What does not fit its frame ends the session; each in its own way.
    @Test(arguments: [
        [header(1, base: 0, tiles: 1), tile(1, 1)],
        [header(1, base: 0, tiles: 1), tile(1, 0, PixelRect(x: 300, y: 0, width: 64, height: 64))],
        [tile(1, 0, PixelRect(x: 300, y: 0, width: 64, height: 64)), header(1, base: 0, tiles: 1)],
        [header(1, base: 0, tiles: 1), header(1, base: 0, tiles: 2)],
        // Tiles over one another: more pixels than the frame has.
        [header(1, base: 0, tiles: 9)] + (0..<9).map { tile(1, $0, PixelRect(x: 0, y: 0, width: 200, height: 100)) },
        [
            header(1, base: 0, tiles: 1), tile(1, 0),
            .frame(.init(number: 2, base: 1, size: FrameSize(width: 100, height: 100)!, tiles: 1, capturedAt: 0)),
            tile(2, 0),
        ],
    ])
    mutating func misfits(_ bodies: [CoBrowsingMessage.Body]) {
        for body in bodies {
            receive(body)
            if composed.last == 1 { machine.composed(1, isGood: true, now: 0, into: &actions) }
        }
        guard case .ended(.failed, let words?) = end else {
            Issue.record("\(bodies) went unnoticed")
            return
        }
        #expect(!words.isEmpty)
        #expect(!machine.isWatching)
    }

    /// Bytes that are held stay below eight megabytes, whatever is sent, and frames below nine.
    @Test mutating func memoryIsBounded() {
        let bytes = [UInt8](repeating: 0, count: CoBrowsingBounds.longestTile)
        var sent = 0
        for index in 0..<1_000 where machine.isWatching {
            receive(
                .tile(
                    .init(
                        frame: UInt32(2 + index % 8), index: index, rect: PixelRect(x: 0, y: 0, width: 1, height: 1),
                        format: .png, bytes: bytes)))
            sent += bytes.count
        }
        #expect(!machine.isWatching && sent <= CoBrowsingBounds.pendingBytes + bytes.count)
    }

    @Test mutating func manyFramesOfNothing() {
        for number in 1...10_000 { receive(Self.header(UInt32(number), base: UInt32(number) - 1, tiles: 2)) }
        #expect(machine.isWatching && composed.isEmpty)
        receive(Self.header(20_000, base: 0, tiles: 1))
        receive(Self.tile(20_000, 0))
        #expect(composed == [20_000], "the oldest gave way")
    }

    @Test mutating func whatCannotBeDecoded() {
        for attempt in 1...3 {
            actions = []
            receive(Self.header(UInt32(attempt), base: 0, tiles: 1))
            receive(Self.tile(UInt32(attempt), 0))
            #expect(composed == [UInt32(attempt)])
            machine.composed(UInt32(attempt), isGood: false, now: 0, into: &actions)
            if attempt < 3 { #expect(actions.last == .send(CoBrowsingMessage(9, .refresh(complete: 0)))) }
        }
        #expect(end == .ended(.failed, "what vera sends can't be decoded"))
    }

    @Test mutating func othersAreNotHeard() {
        receive(Self.header(1, base: 0, tiles: 1), from: "otto")
        receive(Self.tile(1, 0), from: "otto")
        receive(Self.header(1, base: 0, tiles: 1), session: 8)
        receive(.stop(.stopped), from: "otto")
        receive(.start(Self.size), from: "otto", session: 10)
        receive(.refusal("no"), from: "otto")
        #expect(composed.isEmpty && machine.isWatching && machine.sharer == "vera")
        receive(.stop(.stopped))
        #expect(end == .ended(.stopped, nil) && !machine.isWatching)
        receive(.start(Self.size), from: "otto", session: 10)
        #expect(machine.sharer == "otto", "the next session")
    }

    @Test mutating func asking() {
        #expect(machine.message(.action(.stop)) == CoBrowsingMessage(9, .action(.stop)))
        machine.end(.connectionLost, into: &actions)
        #expect(end == .ended(.connectionLost, nil) && machine.message(.action(.stop)) == nil)
        receive(.start(Self.size), session: 11)
        #expect(!machine.isWatching, "nothing begins after the end")
    }

    @Test mutating func aStatusTellsWhatWasLost() {
        receive(.status(latest: 3), now: 100)
        #expect(machine.deadline != nil)
        receive(Self.header(1, base: 0, tiles: 1), now: 200)
        receive(Self.tile(1, 0), now: 200)
        machine.composed(1, isGood: true, now: 200, into: &actions)
        #expect(machine.deadline == 450)
        actions = []
        machine.advance(450, into: &actions)
        #expect(actions == [.send(CoBrowsingMessage(9, .refresh(complete: 1)))] && machine.deadline == 950)
    }
}
