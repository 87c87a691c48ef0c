import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

/// A sender that fills what it is allowed, with frames of small packets, over a simulated path with feedback.
private final class Flow {
    struct Sample {
        var time: Double
        var estimate: Int
        var queue: Double
    }

    let call: PeerCall
    private(set) var estimator = BandwidthEstimator()
    private(set) var samples: [Sample] = []
    private var owed = 0.0
    private var conditions: NetworkConditions
    private var number: UInt32 = 0

    init(_ conditions: NetworkConditions, seed: UInt64, feedback: RTCPStyle.TransportFeedback = .timed) throws {
        self.conditions = conditions
        call = try PeerCall(conditions, seed: seed) { configuration, _ in
            configuration.rtcp.transportFeedback = feedback
        }
        call.negotiate()
        for (side, other) in [(call.alice, call.bob), (call.bob, call.alice)] {
            side.node.peer.setReceiveMap(
                ReceiveMap(lines: [
                    .init(
                        index: 1, kind: .video, mid: ShortToken("1"),
                        codecs: [.init(payloadType: 96, clockRate: 90_000, transportCC: true)],
                        extensionMap: call.extensions, sources: [.init(ssrc: other.videoSSRC)])
                ]))
        }
        call.pair.connect()
        try #require(call.pair.runUntilConnected())
        call.alice.node.onEvent = { [unowned self] event in
            guard case .packetResults(let results) = event else { return }
            let now = call.simulation.now
            estimator.update(results, roundTrip: call.alice.node.peer.roundTripTime, now: now)
            let delays = results.compactMap { result in result.received.map { ($0 - result.sent).milliseconds } }
            samples.append(
                Sample(time: now.nanoseconds.seconds, estimate: estimator.bitrate, queue: delays.max() ?? 0))
        }
    }

    /// Sends at the estimate for some seconds: a frame every 33 ms, its packets 2 ms apart.
    func run(seconds: Double) {
        let end = call.simulation.now + .seconds(seconds)
        call.simulation.schedule(every: .milliseconds(33), from: call.simulation.now) { [unowned self] in
            owed += Double(estimator.bitrate) * 0.033 / 8
            var delay = 0
            while owed > 0 {
                let size = min(1100, max(200, Int(owed)))
                owed -= Double(size + 60)
                call.simulation.schedule(at: call.simulation.now + .microseconds(delay)) { [unowned self] in
                    send(size)
                }
                delay += 2000
            }
            return call.simulation.now < end
        }
        call.simulation.run(until: end)
    }

    private func send(_ size: Int) {
        number &+= 1
        let payload = [UInt8](repeating: 0, count: size)
        call.pair.drive(call.alice.node) { peer, now, outbox in
            payload.withUnsafeBytes { bytes in
                _ = peer.send(
                    ssrc: call.alice.videoSSRC, marker: true, timestamp: number &* 3000, payload: bytes, now: now,
                    into: outbox)
            }
        }
    }

    /// Changes what passes from alice to bob.
    func setRate(_ rate: Int) {
        conditions.rate = rate
        call.simulation.network.set(conditions, from: call.alice.node.address, to: call.bob.node.address)
    }

    /// The peer has said what its path bears.
    var hasTarget: Bool {
        call.alice.node.events.contains { if case .targetBitrate = $0 { true } else { false } }
    }

    func estimates(from: Double, to: Double) -> [Int] {
        samples.filter { $0.time >= from && $0.time < to }.map(\.estimate)
    }

    /// The delay above the path's own that 95 % stay below, in ms.
    func queueDelay(from: Double, to: Double) -> Double {
        let window = samples.filter { $0.time >= from && $0.time < to }.map(\.queue)
        let base = samples.map(\.queue).min() ?? 0
        guard !window.isEmpty else { return .infinity }
        return window.sorted()[window.count * 95 / 100] - base
    }
}

extension Int64 {
    fileprivate var seconds: Double { Double(self) / 1e9 }
}

struct BandwidthEstimatorTests {
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
    func followsTheCapacityDownAndUp(_ seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(25), jitter: .milliseconds(4))
        conditions.rate = 2_000_000
        let flow = try Flow(conditions, seed: seed)
        let start = flow.call.simulation.now.nanoseconds.seconds
        flow.run(seconds: 40)
        flow.setRate(300_000)
        flow.run(seconds: 25)
        flow.setRate(1_000_000)
        flow.run(seconds: 35)
        for (from, to, capacity) in [(30.0, 40.0, 2_000_000), (45, 65, 300_000), (80, 100, 1_000_000)] {
            let found = flow.estimates(from: start + from, to: start + to)
            let mean = found.reduce(0, +) / max(found.count, 1)
            let queue = flow.queueDelay(from: start + from, to: start + to)
            print(
                "capacity \(capacity): mean \(mean), \(found.min() ?? 0)...\(found.max() ?? 0), queue p95 \(queue) ms")
            #expect(Double(mean) > 0.65 * Double(capacity) && Double(mean) < 1.05 * Double(capacity))
            #expect(queue < 200)
        }
    }

    /// Feedback per 21 packets comes every two seconds where little is sent: the path's limit shows all the same.
    @Test(arguments: [1, 2, 3] as [UInt64]) func sparseFeedbackShowsTheLimitToo(_ seed: UInt64) throws {
        var conditions = NetworkConditions(delay: .milliseconds(25), jitter: .milliseconds(4))
        conditions.rate = 600_000
        conditions.queue = .seconds(3)
        let flow = try Flow(conditions, seed: seed, feedback: .counted(21))
        let start = flow.call.simulation.now.nanoseconds.seconds
        flow.run(seconds: 20)
        flow.setRate(90_000)
        flow.run(seconds: 60)
        let found = flow.estimates(from: start + 50, to: start + 80)
        let mean = found.reduce(0, +) / max(found.count, 1)
        let queue = flow.queueDelay(from: start + 50, to: start + 80)
        print("sparse feedback: mean \(mean), \(found.min() ?? 0)...\(found.max() ?? 0), queue p95 \(queue) ms")
        #expect((50_000...100_000).contains(mean) && queue < 600)
    }

    @Test func aClearPathLetsTheRateGrow() throws {
        let flow = try Flow(NetworkConditions(delay: .milliseconds(20)), seed: 4)
        flow.run(seconds: 30)
        #expect(flow.estimator.bitrate > 2_000_000)
        #expect(flow.estimator.lossShare == 0)
    }

    @Test func aLimitIsKnownOnlyAfterItHasShown() throws {
        let flow = try Flow(NetworkConditions(delay: .milliseconds(25)), seed: 7)
        flow.run(seconds: 10)
        #expect(!flow.estimator.isLimited && flow.call.alice.node.peer.bandwidth.isLimited == false)
        #expect(!flow.hasTarget)
        flow.setRate(300_000)
        flow.run(seconds: 5)
        #expect(flow.estimator.isLimited && flow.hasTarget)
        // The peer's own estimator sees the same.
        let own = Double(flow.call.alice.node.peer.bandwidth.bitrate)
        #expect(abs(own - Double(flow.estimator.bitrate)) < 0.1 * own)
    }

    @Test func lossAboveATenthCutsTheRate() throws {
        let clear = try Flow(NetworkConditions(delay: .milliseconds(20)), seed: 5)
        clear.run(seconds: 15)
        let lossy = try Flow(NetworkConditions(delay: .milliseconds(20), loss: 0.25), seed: 5)
        lossy.run(seconds: 15)
        #expect(lossy.estimator.bitrate < clear.estimator.bitrate / 3)
        let few = try Flow(NetworkConditions(delay: .milliseconds(20), loss: 0.01), seed: 5)
        few.run(seconds: 15)
        #expect(few.estimator.bitrate > clear.estimator.bitrate / 2)
    }
}
