import CoBrowsingModel
import Testing

@Suite struct SharerTests {
    @Test func aStaticScreenSendsNothing() {
        var bench = SessionBench()
        bench.join(0)
        bench.run(2_000)
        #expect(bench.sentAt.count == 1 && bench.canvases[0] == bench.screen)
        bench.run(60_000)
        #expect(bench.sentAt.count == 1, "one frame, and none where nothing changes")
        #expect(bench.sharer.deadline == nil && bench.viewers[0].deadline == nil, "nobody waits for anything")
    }

    @Test func nobodyWatches() {
        var bench = SessionBench(viewers: 0)
        bench.run(5_000) { $0.change([0]) }
        #expect(bench.sentAt.isEmpty, "nothing is captured for nobody")
    }

    /// The cap is the server's; a storm of changes stays below it.
    @Test(arguments: [1, 5, 10]) func theRateIsCapped(rate: Int) {
        var bench = SessionBench(rate: rate)
        bench.cellBytes = 1_000
        bench.join(0)
        bench.run(10_000) { $0.change([3]) }
        #expect(bench.sentAt.count <= rate * 10 + 1 && bench.sentAt.count >= rate * 9)
        for (one, next) in zip(bench.sentAt, bench.sentAt.dropFirst()) { #expect(next - one >= 1_000 / Int64(rate)) }
    }

    /// A storm of the whole screen stays below 20 KB a frame on average: frames come less often then.
    @Test func bytesAreCapped() {
        var bench = SessionBench()
        bench.cellBytes = 4_000
        bench.join(0)
        bench.run(30_000) { $0.change(Array(0..<$0.grid.count)) }
        let budget = 5 * ByteBudget.bytesPerFrame
        #expect(bench.bytes <= budget * 32 + 100_000, "30 s, and two seconds' savings")
        #expect(bench.bytes >= budget * 20)
    }

    @Test func onlyWhatChangedIsSent() throws {
        var machine = SessionBench().sharer
        var actions: [SharerMachine.Action] = []
        machine.receive(
            CoBrowsingMessage(9, .presence(person: "ada", isPresent: true)), from: "", now: 0, into: &actions)
        let grid = CellGrid(SessionBench.size)
        var hashes = [UInt64](repeating: 1, count: grid.count)
        let first = FrameDigest(grid: grid, hashes: hashes)
        let whole = machine.plan(first, now: 0)
        let key = try #require(whole)
        #expect(key.isKey && key.rects.reduce(0) { $0 + $1.area } == SessionBench.size.area)
        let tiles = key.rects.map { SharerMachine.EncodedTile(rect: $0, format: .png, bytes: [1]) }
        machine.sent(key, tiles, first, now: 0, into: &actions)
        machine.receive(CoBrowsingMessage(9, .acknowledge(complete: 1)), from: "ada", now: 50, into: &actions)
        hashes[7] = 2
        let second = FrameDigest(grid: grid, hashes: hashes)
        let part = machine.plan(second, now: 200)
        let plan = try #require(part)
        #expect(plan.number == 2 && plan.base == 1 && plan.rects == [grid.rect(7)])
        machine.sent(plan, [.init(rect: grid.rect(7), format: .png, bytes: [1])], second, now: 200, into: &actions)
        #expect(machine.plan(second, now: 400) == nil)
    }

    /// What a viewer misses is sent again from the frame after which they miss it, and nothing older.
    @Test func repairs() throws {
        var bench = SessionBench()
        bench.join(0)
        bench.run(400)
        bench.network.loss = 1
        bench.change([2])
        bench.run(300)
        bench.network.loss = 0
        bench.change([9])
        bench.run(300)
        #expect(bench.viewers[0].complete < bench.sharer.frames, "one frame is missing")
        bench.run(2_000)
        #expect(bench.canvases[0] == bench.screen && bench.viewers[0].complete == bench.sharer.frames)
        #expect(bench.refreshes >= 1)
    }

    /// Loss, delay and order as they come, in both directions: in the end everybody has the screen.
    @Test(arguments: 1...20) func badNetworks(seed: UInt64) {
        let network = SessionBench.Network(loss: Double(seed % 5) * 0.08, delay: 10...(20 + Int64(seed) * 15))
        var bench = SessionBench(viewers: 3, network: network, seed: seed)
        bench.join(0)
        bench.join(1)
        var changes = SeededGenerator(seed)
        bench.run(8_000) { bench in
            guard Int.random(in: 0..<6, using: &changes) == 0 else { return }
            bench.change([Int.random(in: 0..<bench.grid.count, using: &changes)])
        }
        bench.join(2)
        bench.run(4_000) { $0.change([4]) }
        bench.run(180_000)
        for index in 0..<3 { #expect(bench.canvases[index] == bench.screen, "viewer \(index), seed \(seed)") }
        let frames = bench.sentAt.count
        bench.run(20_000)
        #expect(bench.sentAt.count == frames, "and it is quiet then")
        #expect(!bench.watched.contains { if case .ended = $0 { true } else { false } })
    }

    /// Capturing waits for a viewer who is far behind, and for a silent one no longer than five seconds.
    @Test func slowViewers() {
        var bench = SessionBench()
        bench.cellBytes = 500
        bench.join(0)
        bench.run(1_000)
        bench.network.loss = 1
        let before = bench.sentAt.count
        bench.run(4_000) { $0.change([1]) }
        #expect(bench.sentAt.count - before <= 11, "ten frames ahead, and no more")
        bench.run(4_000) { $0.change([1]) }
        #expect(bench.sentAt.count - before > 11, "who is silent is not waited for")
    }

    /// What was sent worse than it could be is sent again, once, when there is nothing else to send.
    @Test func improvements() throws {
        let grid = CellGrid(try #require(FrameSize(width: 1_920, height: 1_080)))
        var machine = SessionBench().sharer
        var actions: [SharerMachine.Action] = []
        machine.receive(
            CoBrowsingMessage(9, .presence(person: "ada", isPresent: true)), from: "", now: 0, into: &actions)
        let digest = FrameDigest(grid: grid, hashes: (0..<grid.count).map { UInt64($0) })
        var now: Int64 = 0
        var steps: [Int] = []
        for _ in 0..<400 {
            now += 200
            guard let at = machine.captureTime(now), at <= now, let plan = machine.plan(digest, now: now) else {
                continue
            }
            steps.append(plan.step)
            let tiles = plan.rects.map { rect in
                SharerMachine.EncodedTile(
                    rect: rect, format: .jpeg, bytes: [UInt8](repeating: 0, count: rect.area * 140 / 1_000))
            }
            machine.sent(plan, tiles, digest, now: now, into: &actions)
            machine.receive(
                CoBrowsingMessage(9, .acknowledge(complete: plan.number)), from: "ada", now: now, into: &actions)
        }
        #expect(steps.first.map { $0 > 0 } == true, "two megapixels do not fit at the best quality")
        #expect(steps.count > 1 && steps.dropFirst().allSatisfy { $0 == 0 } && steps.count < 20)
        let wantsMore = machine.wantsSameFrame(now)
        #expect(!wantsMore)
    }

    @Test func anotherSizeIsAWholeFrame() throws {
        var bench = SessionBench()
        bench.join(0)
        bench.run(1_000)
        let grid = CellGrid(try #require(FrameSize(width: 200, height: 320)))
        let plan = bench.sharer.plan(
            FrameDigest(grid: grid, hashes: [UInt64](repeating: 3, count: grid.count)), now: bench.now)
        #expect(plan?.isKey == true && plan?.size == grid.size)
    }

    @Test func pointersAndActions() {
        var bench = SessionBench()
        bench.join(0)
        bench.run(500)
        for _ in 0..<200 {
            bench.tell {
                $0.receive(
                    CoBrowsingMessage(9, .pointer(.init(x: 1, y: 2, kind: .move))), from: "ada0", now: 500, into: &$1)
            }
        }
        let pointers = bench.reports.count { if case .pointer = $0 { true } else { false } }
        #expect(pointers == 60, "no more in a second")
        bench.tell { $0.receive(CoBrowsingMessage(9, .action(.return)), from: "ada0", now: 600, into: &$1) }
        bench.tell { $0.receive(CoBrowsingMessage(8, .action(.stop)), from: "ada0", now: 600, into: &$1) }
        #expect(bench.reports.last == .action(.return, from: "ada0") && !bench.sharer.isEnded)
        bench.tell { $0.receive(CoBrowsingMessage(9, .action(.stop)), from: "ada0", now: 600, into: &$1) }
        #expect(bench.reports.last == .ended(.stoppedByViewer, nil) && bench.sharer.isEnded)
        bench.run(200)
        #expect(bench.watched.last == .ended(.stoppedByViewer, nil))
        bench.run(5_000) { $0.change([0]) }
        #expect(bench.sharer.captureTime(bench.now) == nil, "nothing leaves after the end")
    }

    @Test func numbersOutOfThinAir() {
        var bench = SessionBench()
        bench.join(0)
        bench.run(1_000)
        let frames = bench.sentAt.count
        for body in [
            CoBrowsingMessage.Body.acknowledge(complete: 900), .refresh(complete: 900), .refresh(complete: .max),
        ] {
            bench.tell { $0.receive(CoBrowsingMessage(9, body), from: "ada0", now: 1_000, into: &$1) }
        }
        bench.run(3_000)
        #expect(bench.sentAt.count == frames)
        // Asking for everything over and over costs no more than the budget and the rate allow.
        bench.run(5_000) { bench in
            let now = bench.now
            bench.tell { $0.receive(CoBrowsingMessage(9, .refresh(complete: 0)), from: "ada0", now: now, into: &$1) }
        }
        #expect(bench.sentAt.count - frames <= 11, "twice a second")
    }

    @Test func refusedByTheRelay() {
        var machine = SharerMachine(session: 4, size: SessionBench.size, isLossless: true, now: 0)
        var actions: [SharerMachine.Action] = []
        let welcome = CoBrowsingMessage.Welcome(
            properties: CoBrowsingProperties(), participant: .contextPerson, sharer: "otto")
        machine.receive(CoBrowsingMessage(3, .welcome(welcome)), from: "", now: 0, into: &actions)
        #expect(actions == [.report(.ended(.failed, "otto is sharing already"))])
        var other = SessionBench().sharer
        actions = []
        other.receive(CoBrowsingMessage(9, .stop(.conversationEnded)), from: "ada", now: 0, into: &actions)
        #expect(actions.isEmpty, "only the relay says so")
        other.receive(CoBrowsingMessage(9, .stop(.conversationEnded)), from: "", now: 0, into: &actions)
        #expect(actions == [.report(.ended(.conversationEnded, nil))])
    }
}
