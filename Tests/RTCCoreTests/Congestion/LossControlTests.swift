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
}
