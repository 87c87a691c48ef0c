import RTCWire
import Testing

@testable import RTCCore

/// RFC 9260 section 6.3.1.
@Suite struct RetransmissionTimeoutTests {
    private var timeout: RetransmissionTimeout

    init() {
        var configuration = SCTPConfiguration()
        configuration.initialRTO = .milliseconds(500)
        configuration.minimumRTO = .milliseconds(120)
        configuration.maximumRTO = .milliseconds(800)
        timeout = RetransmissionTimeout(configuration)
    }

    /// Rule C1.
    @Test func beforeAMeasurementItIsTheInitialOne() {
        #expect(timeout.current == .milliseconds(500) && timeout.smoothed == nil)
    }

    /// Rule C2: SRTT = R, RTTVAR = R/2, RTO = SRTT + 4 RTTVAR.
    @Test mutating func theFirstMeasurement() {
        timeout.measure(.milliseconds(124))
        #expect(timeout.smoothed == .milliseconds(124) && timeout.current == .milliseconds(372))
    }

    /// Rule C3, with alpha 1/8 and beta 1/4.
    @Test mutating func laterOnesAreSmoothed() {
        timeout.measure(.milliseconds(100))
        timeout.measure(.milliseconds(180))
        // RTTVAR = 3/4 50 + 1/4 80 = 57.5; SRTT = 7/8 100 + 1/8 180 = 110.
        #expect(timeout.smoothed == .milliseconds(110) && timeout.current == .milliseconds(340))
        timeout.measure(.milliseconds(30))
        // RTTVAR = 3/4 57.5 + 1/4 80 = 63.125; SRTT = 7/8 110 + 1/8 30 = 100.
        #expect(timeout.smoothed == .milliseconds(100) && timeout.current == .microseconds(352_500))
    }

    @Test mutating func aSteadyPathIsBoundedBelow() {
        for _ in 0..<60 { timeout.measure(.milliseconds(20)) }
        #expect(timeout.current == .milliseconds(120) && timeout.smoothed == .milliseconds(20))
    }

    @Test mutating func aSlowPathIsBoundedAbove() {
        timeout.measure(.seconds(5))
        #expect(timeout.current == .milliseconds(800))
    }

    @Test mutating func aNegativeTripIsNoTrip() {
        timeout.measure(.milliseconds(-1))
        #expect(timeout.smoothed == nil && timeout.current == .milliseconds(500))
        timeout.measure(.zero)
        #expect(timeout.smoothed == .zero && timeout.current == .milliseconds(120))
    }

    /// Rule E2 of section 6.3.3.
    @Test mutating func everyExpiryDoublesIt() {
        timeout.measure(.milliseconds(60))
        #expect(timeout.current == .milliseconds(180))
        var seen: [Interval] = []
        for _ in 0..<4 {
            timeout.backOff()
            seen.append(timeout.current)
        }
        #expect(seen == [.milliseconds(360), .milliseconds(720), .milliseconds(800), .milliseconds(800)])
        timeout.restore()
        #expect(timeout.current == .milliseconds(180))
    }

    @Test mutating func aMeasurementEndsTheBackOff() {
        timeout.backOff()
        #expect(timeout.current == .milliseconds(800))
        timeout.measure(.milliseconds(50))
        #expect(timeout.current == .milliseconds(150))
    }

    @Test func theInitialOneIsBoundedToo() {
        var configuration = SCTPConfiguration()
        configuration.initialRTO = .seconds(60)
        #expect(RetransmissionTimeout(configuration).current == configuration.maximumRTO)
    }

    @Test mutating func restoringBeforeAMeasurement() {
        timeout.backOff()
        timeout.restore()
        #expect(timeout.current == .milliseconds(500))
    }
}

@Suite struct SCTPTimersTests {
    private var timers = SCTPTimers()

    @Test mutating func theSoonestIsNext() {
        #expect(timers.next == nil)
        timers.start(.retransmission, at: .at(300))
        timers.start(.acknowledgement, at: .at(200))
        timers.start(.heartbeat, at: .at(30_000))
        #expect(timers.next == .at(200) && timers[.retransmission] == .at(300) && timers[.reset] == nil)
        timers.stop(.acknowledgement)
        #expect(timers.next == .at(300))
        timers.start(.retransmission, at: .at(400))
        #expect(timers.next == .at(400))
    }

    @Test mutating func anExpiryIsTakenOnce() {
        timers.start(.reset, at: .at(100))
        let early = timers.takeExpired(.reset, .at(99))
        let another = timers.takeExpired(.shutdown, .at(500))
        #expect(!early && !another)
        let taken = timers.takeExpired(.reset, .at(100))
        let again = timers.takeExpired(.reset, .at(100))
        #expect(taken && !again && timers.next == nil)
    }

    @Test mutating func allStop() {
        for name in SCTPTimers.Name.allCases { timers.start(name, at: .at(name.rawValue)) }
        #expect(timers.next == .at(0))
        timers.stopAll()
        #expect(timers.next == nil && SCTPTimers.Name.allCases.allSatisfy { timers[$0] == nil })
    }
}
