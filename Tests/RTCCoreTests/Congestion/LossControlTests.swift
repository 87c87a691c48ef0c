import RTCWire
import Testing

@testable import RTCCore

/// What counts as lost where packets overtake each other.
@Suite struct LossControlTests {
    /// A sender's estimator and a receiver's recorder with a path between them.
    private struct Path {
        var sent = SentPackets()
        var recorder = ArrivalRecorder()
        var estimator = BandwidthEstimator()
        var lost = 0
        var found = 0

        mutating func tell(at now: Instant) {
            for feedback in recorder.takeFeedback(senderSSRC: 1, limit: 1100, now: now) {
                let results = sent.settle(feedback)
                lost += results.count { $0.received == nil }
                found += results.count { $0.wasLost }
                estimator.update(results, roundTrip: .milliseconds(20), now: now)
            }
        }
    }

    /// Every twentieth packet is lost, every tenth comes 120 ms late, behind the feedback that calls it lost.
    @Test func whatIsOvertakenIsNoLoss() {
        var path = Path()
        var late: [(number: UInt16, at: Instant)] = []
        var now = Instant.zero + .seconds(1)
        for number in 0..<3000 {
            now = now + .milliseconds(5)
            path.sent.add(size: 500, now: now)
            while let first = late.first, first.at <= now {
                path.recorder.record(first.number, ssrc: 1, size: 500, now: now)
                late.removeFirst()
            }
            let wire = UInt16(truncatingIfNeeded: number)
            switch number % 20 {
            case 3: break
            case 7, 17: late.append((wire, now + .milliseconds(120)))
            default: path.recorder.record(wire, ssrc: 1, size: 500, now: now)
            }
            path.tell(at: now)
        }
        // 150 are lost; of the 300 late ones each was lost once at the most, and found.
        #expect(path.lost - path.found <= 160 && path.lost - path.found >= 140, "\(path.lost) \(path.found)")
        #expect(path.lost <= 460, "\(path.lost)")
        #expect(path.estimator.lossShare < 0.08, "\(path.estimator.lossShare)")
    }

    // MARK: The limit, draft-ietf-rmcat-gcc-02 section 6

    private struct Controller {
        var control = LossControl()
        var now = Instant.zero + .seconds(1)

        /// One window of 100 packets.
        mutating func window(lost: Int, bitrate: Double = 1_000_000, after milliseconds: Int = 200) {
            control.update(lost: 0, total: 0, bitrate: bitrate, roundTrip: .milliseconds(50), now: now)
            now = now + .milliseconds(milliseconds)
            control.update(lost: lost, total: 100, bitrate: bitrate, roundTrip: .milliseconds(50), now: now)
        }
    }

    @Test func withoutLossNothingIsLimited() {
        var controller = Controller()
        for _ in 0..<10 { controller.window(lost: 1) }
        #expect(controller.control.limit == .infinity && controller.control.loss == 0.01)
    }

    /// Above a tenth: 1 - loss/2 of what is sent.
    @Test func aGreatLossCuts() {
        var controller = Controller()
        controller.window(lost: 20)
        #expect(controller.control.limit == 900_000 && controller.control.loss == 0.2)
    }

    @Test func betweenTheMarksNothingMoves() {
        var controller = Controller()
        controller.window(lost: 20)
        for lost in [2, 5, 10] { controller.window(lost: lost, bitrate: 900_000) }
        #expect(controller.control.limit == 900_000)
    }

    /// One cut in 300 ms and a round trip.
    @Test func cutsAreSpaced() {
        var controller = Controller()
        controller.window(lost: 20)
        controller.window(lost: 20, bitrate: 900_000)
        #expect(controller.control.limit == 900_000)
        controller.window(lost: 20, bitrate: 900_000)
        #expect(controller.control.limit == 810_000)
    }

    @Test func littleLossLetsItGrowAgain() {
        var controller = Controller()
        controller.window(lost: 50)
        #expect(controller.control.limit == 750_000)
        controller.window(lost: 0, bitrate: 750_000, after: 1000)
        #expect(controller.control.limit == 750_000 * 1.08)
        // A second's growth is the most.
        controller.window(lost: 0, bitrate: 750_000, after: 5000)
        #expect(controller.control.limit == 750_000 * 1.08 * 1.08)
    }

    @Test func farAboveTheRateItLimitsNothing() {
        var controller = Controller()
        controller.window(lost: 50)
        controller.window(lost: 0, bitrate: 200_000, after: 1000)
        #expect(controller.control.limit == .infinity)
    }

    @Test func fewPacketsSayNothing() {
        var control = LossControl()
        control.update(lost: 5, total: 10, bitrate: 1e6, roundTrip: .zero, now: .zero)
        control.update(lost: 5, total: 9, bitrate: 1e6, roundTrip: .zero, now: .zero + .seconds(5))
        #expect(control.limit == .infinity && control.loss == 0)
        control.update(lost: 0, total: 1, bitrate: 1e6, roundTrip: .zero, now: .zero + .seconds(6))
        #expect(control.loss == 0.5 && control.limit == 750_000)
    }

    /// What was only overtaken is taken back.
    @Test func whatIsFoundIsNotLost() {
        var control = LossControl()
        control.update(lost: 30, total: 50, bitrate: 1e6, roundTrip: .zero, now: .zero)
        control.update(lost: 0, found: 40, total: 50, bitrate: 1e6, roundTrip: .zero, now: .zero + .seconds(1))
        #expect(control.loss == 0 && control.limit == .infinity)
    }
}
