import RTCCore
import RTCWire
import Testing

@testable import CallServer

/// SplitMix64: the same waits in every run.
private struct Seeded: RandomNumberGenerator, Sendable {
    var state: UInt64 = 7

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}

/// A backlog, a virtual clock and a receiver whose behaviour depends on the time.
private struct Simulation {
    var backlog: WebhookBacklog<Seeded>
    var now = Instant.zero
    /// How long a request takes.
    var duration = Interval.milliseconds(5)
    /// What the receiver has acknowledged, in order.
    var received: [WebhookEntry] = []
    var requests = 0
    var mostUnderWay = 0
    private var underWay: [(entry: WebhookEntry, end: Instant)] = []

    init(_ policy: WebhookPolicy = .init()) { backlog = WebhookBacklog(policy: policy, generator: Seeded()) }

    @discardableResult
    mutating func add(_ key: String, _ id: String, bytes: Int = 3) -> WebhookBacklog<Seeded>.Admission {
        backlog.add(WebhookEntry(key: key, id: id, body: [UInt8](repeating: 1, count: bytes)), now: now)
    }

    /// Runs until nothing waits or `limit` has come; `outcome` is the receiver.
    mutating func run(
        until limit: Instant, _ outcome: (WebhookEntry, Instant) -> WebhookOutcome
    ) {
        while true {
            while let entry = backlog.next(now: now) {
                #expect(!underWay.contains { $0.entry.key == entry.key }, "two of one key under way")
                underWay.append((entry, now + duration))
                requests += 1
                mostUnderWay = max(mostUnderWay, underWay.count)
            }
            let ends = underWay.map(\.end).min()
            guard let next = [ends, backlog.nextDeadline].compactMap(\.self).min(), next <= limit else { break }
            now = max(now, next)
            for done in underWay.filter({ $0.end <= now }) {
                let result = outcome(done.entry, now)
                if result == .acknowledged { received.append(done.entry) }
                backlog.finish(done.entry, result, now: now)
            }
            underWay.removeAll { $0.end <= now }
        }
        now = limit
    }

    func ids(_ key: String) -> [String] { received.filter { $0.key == key }.map(\.id) }
}

@Suite struct WebhookBacklogTests {
    private static let minute = Instant.zero + .seconds(60)

    @Test func nothingIsLostOverAMinuteOfOutageAndOrderHolds() {
        var simulation = Simulation()
        for index in 0..<600 { simulation.add("room\(index % 20)", "\(index)") }
        simulation.run(until: Self.minute) { _, _ in .failed("refused") }
        #expect(simulation.received.isEmpty && simulation.backlog.statistics.waiting == 600)
        // An event that comes in the outage waits behind the earlier ones of its room.
        simulation.add("room0", "late")
        let back = simulation.now
        simulation.run(until: back + .seconds(30)) { _, _ in .acknowledged }
        #expect(simulation.received.count == 601)
        for room in 0..<20 {
            let wanted = stride(from: room, to: 600, by: 20).map(String.init) + (room == 0 ? ["late"] : [])
            #expect(simulation.ids("room\(room)") == wanted)
        }
        #expect(simulation.backlog.isEmpty && simulation.backlog.statistics.delivered == 601)
        #expect(simulation.backlog.statistics.bytes == 0 && simulation.mostUnderWay == 8)
    }

    @Test func repetitionsComeAtGrowingJitteredIntervals() {
        var simulation = Simulation()
        simulation.duration = .zero
        simulation.add("room", "a")
        var times: [Double] = []
        simulation.run(until: Self.minute) { _, now in
            times.append((now - .zero).seconds)
            return .failed("500")
        }
        let waits = zip(times, times.dropFirst()).map { $1 - $0 }
        for (wait, full) in zip(waits, [0.5, 1, 2, 4, 8, 10, 10, 10]) {
            #expect(wait >= full / 2 - 0.001 && wait <= full + 0.001, "\(wait) s of \(full) s")
        }
        #expect(waits.count >= 8 && Set(waits.map { Int($0 * 1000) }).count == waits.count)
        #expect(simulation.backlog.statistics.repetitions == times.count - 1)
    }

    @Test func eachIdIsAcknowledgedOnceThoughTheReceiverFailsHalfTheTime() {
        var simulation = Simulation()
        for index in 0..<100 { simulation.add("room\(index % 3)", "\(index)") }
        #expect(simulation.add("room0", "0") == .known)
        var turn = 0
        simulation.run(until: Instant.zero + .seconds(3600)) { _, _ in
            turn += 1
            return turn % 2 == 0 ? .acknowledged : .failed("status 500")
        }
        #expect(simulation.received.count == 100 && Set(simulation.received.map(\.id)).count == 100)
        for room in 0..<3 {
            #expect(simulation.ids("room\(room)") == stride(from: room, to: 100, by: 3).map(String.init))
        }
    }

    @Test func aFailingKeyHoldsUpNoOther() {
        var simulation = Simulation()
        simulation.add("bad", "1")
        for index in 0..<50 { simulation.add("good", "\(100 + index)") }
        simulation.run(until: Instant.zero + .seconds(2)) { entry, _ in
            entry.key == "bad" ? .failed("status 500") : .acknowledged
        }
        #expect(simulation.ids("good").count == 50 && simulation.backlog.statistics.waiting == 1)
    }

    @Test func memoryIsBoundedAndWhatIsRefusedIsCounted() {
        var policy = WebhookPolicy()
        policy.entries = 3
        policy.bytes = 100
        var simulation = Simulation(policy)
        #expect(simulation.add("a", "1", bytes: 60) == .accepted)
        #expect(simulation.add("a", "2", bytes: 60) == .full)
        #expect(simulation.add("a", "3", bytes: 20) == .accepted && simulation.add("b", "4", bytes: 20) == .accepted)
        #expect(simulation.add("c", "5", bytes: 0) == .full)
        #expect(simulation.backlog.statistics.overflowed == 2 && simulation.backlog.statistics.bytes == 100)
        simulation.run(until: Self.minute) { _, _ in .acknowledged }
        #expect(simulation.received.count == 3 && simulation.add("a", "2", bytes: 60) == .accepted)
    }

    @Test func refusalsAndAgeEndAnEntryAndTheNextOneFollows() {
        var policy = WebhookPolicy()
        policy.lifetime = .seconds(20)
        var simulation = Simulation(policy)
        simulation.add("a", "refused")
        simulation.add("a", "old")
        simulation.run(until: Self.minute) { entry, _ in
            entry.id == "refused" ? WebhookOutcome(status: 404) : .failed("no")
        }
        simulation.add("a", "new")
        simulation.run(until: Self.minute + .seconds(60)) { _, _ in .acknowledged }
        #expect(simulation.received.map(\.id) == ["new"])
        #expect(simulation.backlog.statistics.refused == 1 && simulation.backlog.statistics.expired == 1)
    }

    @Test func hurryingCutsTheWaits() {
        var simulation = Simulation()
        simulation.add("a", "1")
        simulation.run(until: Instant.zero + .seconds(20)) { _, _ in .failed("no") }
        simulation.backlog.hurry(.milliseconds(250), now: simulation.now)
        simulation.run(until: simulation.now + .milliseconds(300)) { _, _ in .acknowledged }
        #expect(simulation.received.count == 1)
    }

    @Test(arguments: [
        (200, WebhookOutcome.acknowledged), (204, .acknowledged), (301, .refused(status: 301)),
        (400, .refused(status: 400)), (408, .failed("status 408")), (429, .failed("status 429")),
        (500, .failed("status 500")), (503, .failed("status 503")),
    ])
    func statusesAreUnderstood(status: Int, outcome: WebhookOutcome) {
        #expect(WebhookOutcome(status: status) == outcome)
    }
}
