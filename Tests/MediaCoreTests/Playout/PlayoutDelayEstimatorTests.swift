import RTCWire
import Testing

@testable import MediaCore

/// The target delay from what packets need beyond the fastest.
@Suite struct PlayoutDelayEstimatorTests: ~Copyable {
    private var estimator: PlayoutDelayEstimator
    private var sent = 0
    private let start = Instant.zero + .seconds(100)

    init() {
        var configuration = AudioPlayoutConfiguration()
        configuration.minimumDelay = .milliseconds(10)
        configuration.initialDelay = .milliseconds(10)
        configuration.maximumDelay = .milliseconds(400)
        estimator = PlayoutDelayEstimator(configuration)
    }

    /// Of fifty packets little is learned; a sender whose clock jumps is no new one.
    @Test mutating func aNewSenderIsWaitedForLonger() {
        var configuration = AudioPlayoutConfiguration()
        configuration.initialDelay = .milliseconds(60)
        estimator = PlayoutDelayEstimator(configuration)
        #expect(estimator.target() == .milliseconds(60))
        for _ in 0..<49 { packet() }
        #expect(estimator.target() == .milliseconds(60))
        packet()
        #expect(estimator.target() == .milliseconds(20))
        packet(isNewLine: true)
        #expect(estimator.target() == .milliseconds(20))
        estimator.reset()
        #expect(estimator.target() == .milliseconds(60))
    }

    private var isRising: Bool { estimator.isRising }

    /// Two steps in a row are a queue; it is one until packets come sooner.
    @Test mutating func aGrowingQueueIsSeen() {
        for late in [0.0, 6, 2, 9, 4] {
            packet(late: late)
            #expect(!isRising)
        }
        packet(late: 10)
        #expect(!isRising)
        packet(late: 17)
        let lead = estimator.lead(at: .milliseconds(40))
        #expect(isRising && lead == .milliseconds(23))
        packet(late: 17)
        packet(late: 18)
        #expect(isRising)
        // A repetition says nothing of a queue.
        packet(late: 5, isOvertaken: true)
        #expect(isRising)
        packet(late: 12)
        #expect(!isRising)
    }

    /// One packet of 20 ms that is so late; gives whether it began a new time line.
    @discardableResult
    private mutating func packet(
        late milliseconds: Double = 0, isOvertaken: Bool = false, isNewLine: Bool = false
    ) -> Bool {
        defer { sent += 1 }
        return estimator.observe(
            timestamp: Int64(sent) * 960, arrival: start + .milliseconds(20 * sent) + .seconds(milliseconds / 1000),
            isOvertaken: isOvertaken, isNewLine: isNewLine)
    }

    @Test func beforeAPacketTheTargetIsTheLeast() {
        #expect(estimator.base == nil && estimator.spread == .zero && estimator.target() == .milliseconds(10))
        #expect(estimator.delay(of: 960, at: start) == .zero)
    }

    @Test mutating func aSteadyPathNeedsLittle() {
        for _ in 0..<200 { packet() }
        // A bucket of 4 ms, and as much for both ends' scheduling.
        #expect(estimator.spread == .milliseconds(4) && estimator.target() == .milliseconds(10))
        #expect(estimator.epoch == 0)
    }

    @Test mutating func jitterSpreadsTheTarget() {
        for index in 0..<400 { packet(late: index % 2 == 0 ? 0 : 50) }
        #expect((.milliseconds(50) ... .milliseconds(60)).contains(estimator.target()), "\(estimator.target())")
    }

    @Test mutating func packetsThatWaitForTheirSuccessorGetMore() {
        for index in 0..<400 { packet(late: index % 2 == 0 ? 0 : 50) }
        let plain = estimator.target()
        #expect(estimator.target(allowance: .milliseconds(20)) == plain + .milliseconds(20))
        #expect(estimator.target(allowance: .seconds(9)) == .milliseconds(400))
    }

    /// A few stragglers are not waited for: the quantile says how many.
    @Test mutating func aSingleStragglerTeachesLittle() {
        for index in 0..<1000 {
            packet(late: index == 500 ? 200 : 0)
            if index >= 100 { #expect(estimator.target() <= .milliseconds(20), "\(estimator.target())") }
        }
    }

    /// What calmed down is forgotten.
    @Test mutating func jitterIsForgotten() {
        for index in 0..<400 { packet(late: index % 2 == 0 ? 0 : 80) }
        #expect(estimator.target() >= .milliseconds(80))
        for _ in 0..<6000 { packet() }
        #expect(estimator.target() <= .milliseconds(20), "\(estimator.target())")
    }

    /// Delays that no target could absorb are outages.
    @Test mutating func outagesTeachNothing() {
        for index in 0..<400 { packet(late: index % 4 == 3 ? 900 : 0) }
        #expect(estimator.target() <= .milliseconds(20))
    }

    @Test mutating func delayIsCountedFromTheFastest() {
        for _ in 0..<10 { packet(late: 30) }
        packet(late: 0)
        #expect(estimator.delay(of: 0, at: start) == .zero)
        #expect(estimator.delay(of: 960, at: start + .milliseconds(65)) == .milliseconds(45))
        #expect(estimator.delay(of: 9600, at: start) == .milliseconds(-200))
    }

    // MARK: Queues

    /// A queue of a second is waited for while it stands; two seconds later hardly any more.
    @Test mutating func aQueueThatIsGoneIsForgottenSoon() {
        for index in 0..<400 { packet(late: Double(index % 2) * 4) }
        for step in 0..<50 {
            let late = min(Double(step + 1) * 10, 200)
            packet(late: late)
            // Three are stragglers.
            if step >= 4 { #expect(estimator.target().milliseconds >= late, "\(step)") }
        }
        // Packets in time don't end it at once.
        for _ in 0..<10 { packet() }
        #expect(estimator.target() >= .milliseconds(190))
        for _ in 0..<100 { packet() }
        #expect(estimator.target() <= .milliseconds(90), "\(estimator.target())")
        for _ in 0..<150 { packet() }
        #expect(estimator.target() <= .milliseconds(20), "\(estimator.target())")
    }

    /// Pictures begin a second after the sound and fill a queue of 200 ms for a second and a half: what little is known then
    /// doesn't make that usual.
    @Test(arguments: [20, 50, 100]) mutating func aQueueOfTheJoinIsForgottenSoon(_ before: Int) {
        for index in 0..<before { packet(late: Double(index % 2) * 4) }
        for step in 0..<70 {
            let late = min(120 + Double(step) * 4, 200)
            packet(late: late)
            if step >= 4 { #expect(estimator.target().milliseconds >= late, "\(step)") }
        }
        for step in 0..<15 { packet(late: 200 - 14 * Double(step)) }
        for index in 0..<100 { packet(late: Double(index % 2) * 4) }
        #expect(estimator.target() <= .milliseconds(20), "\(estimator.target())")
    }

    /// Sound begins while pictures fill a queue of 200 ms: what it needs seems little at first, and much once the queue has drained.
    @Test(arguments: [5, 20, 50, 100]) mutating func aQueueThatSoundBeginsInIsForgottenSoon(_ before: Int) {
        for index in 0..<before { packet(late: 200 - Double(index % 2) * 4) }
        for step in 0..<40 { packet(late: 200 - 5 * Double(step)) }
        for index in 0..<50 { packet(late: Double(index % 2) * 4) }
        #expect(estimator.target() <= .milliseconds(40), "\(estimator.target())")
    }

    /// Of a way whose delays stray the same is learned as ever, however late the first packet was.
    @Test(arguments: [0, 40, 80]) mutating func jitterIsLearnedWhateverCameFirst(_ first: Int) {
        packet(late: Double(first))
        for index in 0..<100 { packet(late: Double(index * 37 % 81)) }
        let target = estimator.target()
        #expect(target >= .milliseconds(72) && target <= .milliseconds(90), "\(target)")
    }

    /// One that stays is how the way is: after four seconds its packets count like any others.
    @Test mutating func aQueueThatStaysIsWaitedFor() {
        for _ in 0..<400 { packet() }
        for index in 0..<400 {
            packet(late: 150 + Double(index % 3))
            if index >= 4 { #expect(estimator.target() >= .milliseconds(150), "\(index)") }
        }
        #expect(estimator.target() <= .milliseconds(165), "\(estimator.target())")
    }

    /// What comes in spikes of less than eight packets each other second is jitter, and waited for all the time.
    @Test mutating func spikesAreJitter() {
        for index in 0..<1000 {
            packet(late: index % 100 < 7 ? Double(140 - 20 * (index % 100)) : 0)
            if index > 500 { #expect(estimator.target() >= .milliseconds(80), "\(index)") }
        }
    }

    // MARK: Repetitions

    /// Where copies begin, what is lost comes sooner.
    @Test mutating func whatWasRepeatedIsForgottenWhereCopiesBegin() {
        for index in 0..<400 { packet(late: index % 20 == 19 ? 80 : 0, isOvertaken: index % 20 == 19) }
        #expect(estimator.target() >= .milliseconds(80))
        estimator.forgetLate()
        for index in 0..<100 { packet(late: index % 20 == 19 ? 20 : 0, isOvertaken: index % 20 == 19) }
        #expect(estimator.target() <= .milliseconds(40), "\(estimator.target())")
    }

    /// Five of a hundred packets are worth 11 points, a wait of 60 ms 1.4 and one of 250 ms 18.4.
    @Test(arguments: [(60.0, 70...80), (250, 10...20)])
    mutating func repetitionsAreWaitedForWhereThatPays(_ late: Double, _ expected: ClosedRange<Int>) {
        for index in 0..<2000 {
            let isRepeated = index % 20 == 19
            packet(late: isRepeated ? late : 0, isOvertaken: isRepeated)
        }
        #expect(expected.contains(Int(estimator.target().milliseconds)), "\(estimator.target())")
    }

    /// Ten milliseconds more are waited where nobody notices them, up to 150 ms from mouth to ear, and none where they cost.
    @Test(arguments: [(0, 80.0), (80, 70)])
    mutating func aLittleMoreIsWaitedWhereThatCostsNothing(_ roundTrip: Int, _ expected: Double) {
        estimator.note(roundTrip: .milliseconds(roundTrip))
        for index in 0..<2000 { packet(late: index % 20 == 19 ? 60 : 0, isOvertaken: index % 20 == 19) }
        #expect(abs(estimator.target().milliseconds - expected) <= 4, "\(estimator.target())")
    }

    /// What costs 6 points on a short way costs 17 on a long one, where people talk over each other already.
    @Test(arguments: [(0, 160...175), (200, 10...20)])
    mutating func aLongWayLeavesLessToWaitFor(_ roundTrip: Int, _ expected: ClosedRange<Int>) {
        // Queues don't count.
        for measured in [roundTrip, roundTrip + 200, roundTrip + 200] {
            estimator.note(roundTrip: .milliseconds(measured))
        }
        for index in 0..<2000 {
            let isRepeated = index % 20 == 19
            packet(late: isRepeated ? 160 : 0, isOvertaken: isRepeated)
        }
        #expect(expected.contains(Int(estimator.target().milliseconds)), "\(estimator.target())")
    }

    /// A join over a way that is full: a third of the packets is repeated after 350 ms. It is over after
    /// two seconds, and forgotten five later.
    @Test mutating func aBadBeginningIsForgotten() {
        for index in 0..<100 { packet(late: index % 3 == 2 ? 350 : 0, isOvertaken: index % 3 == 2) }
        #expect(estimator.target() >= .milliseconds(350))
        for _ in 0..<600 { packet() }
        #expect(estimator.target() <= .milliseconds(40), "\(estimator.target())")
    }

    /// A tenth is late, then one of 24, by turns: waiting pays for both together, and doesn't come and go.
    @Test mutating func whatIsWaitedForStays() {
        func isLate(_ index: Int) -> Bool { index % (index / 200 % 2 == 0 ? 10 : 24) == 9 }
        for index in 0..<400 { packet(late: isLate(index) ? 190 : 0, isOvertaken: isLate(index)) }
        for index in 400..<4_000 {
            packet(late: isLate(index) ? 190 : 0, isOvertaken: isLate(index))
            guard estimator.target() < .milliseconds(190) else { continue }
            Issue.record("packet \(index): \(estimator.target())")
            break
        }
    }

    /// By two milliseconds a packet, whole buckets as they are: pictures follow that.
    @Test(arguments: [190.0, 70]) mutating func whatIsWaitedForNoLongerGoesSlowly(_ late: Double) {
        for index in 0..<1_000 { packet(late: index % 10 == 9 ? late : 0, isOvertaken: index % 10 == 9) }
        var (before, largest) = (estimator.target(), Interval.zero)
        for _ in 0..<1_000 {
            packet()
            largest = max(largest, before - estimator.target())
            before = estimator.target()
        }
        #expect(before <= .milliseconds(20) && largest <= .milliseconds(4), "\(before), \(largest)")
    }

    // MARK: The sender's clock

    /// 200 ppm over ten minutes are 120 ms: the base line goes along.
    @Test(arguments: [200.0, -200]) mutating func driftIsFollowed(_ ppm: Double) {
        for index in 0..<30_000 { packet(late: Double(index) * 20 * ppm / 1e6) }
        #expect(estimator.target() <= .milliseconds(20), "\(estimator.target())")
        #expect(estimator.epoch == 0)
    }

    /// A route that became slower is the new base line when the old one has left the memory.
    @Test mutating func aSlowerRouteIsTheNewBase() {
        for _ in 0..<300 { packet() }
        for _ in 0..<3000 { packet(late: 120) }
        #expect(estimator.target() <= .milliseconds(30), "\(estimator.target())")
        let last = Int64(sent - 1) * 960
        #expect(estimator.delay(of: last, at: start + .milliseconds(20 * (sent - 1) + 120)) < .milliseconds(5))
    }

    @Test(arguments: [-301.0, 3001]) mutating func aJumpBeginsANewLine(_ milliseconds: Double) {
        for _ in 0..<10 { packet() }
        #expect(packet(late: milliseconds) && estimator.epoch == 1)
        #expect(estimator.spread == .milliseconds(4))
        // And what follows belongs to it.
        #expect(!packet(late: milliseconds) && estimator.epoch == 1)
    }

    @Test(arguments: [-299.0, 2999]) mutating func lessIsNoJump(_ milliseconds: Double) {
        for _ in 0..<10 { packet() }
        #expect(!packet(late: milliseconds) && estimator.epoch == 0)
    }

    @Test mutating func theCallerMaySayIt() {
        packet()
        #expect(packet(isNewLine: true) && estimator.epoch == 1)
    }

    @Test mutating func aResetForgetsEverything() {
        estimator.reset()
        #expect(estimator.epoch == 0)
        for index in 0..<100 { packet(late: index % 2 == 0 ? 0 : 90) }
        estimator.reset()
        #expect(estimator.epoch == 1 && estimator.base == nil && estimator.target() == .milliseconds(10))
    }

    /// No timestamp that a peer writes traps.
    @Test(arguments: [Int64.min, -1, 0, Int64.max]) mutating func hostileTimestamps(_ timestamp: Int64) {
        packet()
        _ = estimator.observe(timestamp: timestamp, arrival: start)
        _ = estimator.observe(timestamp: 0, arrival: Instant(nanoseconds: .max))
        #expect(estimator.target() >= .milliseconds(10) && estimator.target() <= .milliseconds(400))
    }
}
