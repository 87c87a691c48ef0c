/// How good a connection is, in LiveKit's four steps.
package enum ConnectionGrade: UInt8, Sendable, Hashable, Comparable {
    case lost, poor, good, excellent

    /// The grade of a score of 0...100.
    package init(score: Double) {
        self = score > 80 ? .excellent : score > 40 ? .good : score > 20 ? .poor : .lost
    }

    package static func < (a: ConnectionGrade, b: ConnectionGrade) -> Bool { a.rawValue < b.rawValue }
}

/// Scores of 0...100 and what they are made from, by the form of the E-model that LiveKit uses.
package enum ConnectionScore {
    package static let best = 100.0
    /// A calculated score never falls below: it would take too long to climb back.
    package static let floor = 30.0
    /// The receiver gets nothing, though it should.
    package static let nothingReceived = 40.0
    /// Nothing comes, and no report either.
    package static let silent = 20.0
    /// Stopped for want of bandwidth.
    package static let paused = 30.0

    /// The mean opinion score of a score: 1...4.5 (ITU-T G.107 annex B).
    package static func meanOpinion(_ score: Double) -> Double {
        let r = min(max(score, 0), 100)
        return max(1, 1 + 0.035 * r + r * (r - 60) * (100 - r) * 0.000_007)
    }

    /// What delay (one way, and twice the jitter) and loss (percent, weighted) leave.
    static func ofPackets(roundTrip: Double, jitter: Double, lossPercent: Double, weight: Double) -> Double {
        let delay = roundTrip / 2 + 2 * jitter
        let delayEffect = delay > 160 ? (delay - 120) / 10 : delay / 40
        return max(0, best - delayEffect - lossPercent * weight)
    }
}

extension Double {
    /// The natural logarithm, for positive numbers: no mathematics library stands below this room.
    var naturalLogarithm: Double {
        guard self > 0, isFinite else { return 0 }
        let z = (significand - 1) / (significand + 1)
        var power = z
        var sum = 0.0
        for step in stride(from: 1.0, to: 30.0, by: 2) {
            sum += power / step
            power *= z * z
        }
        return 2 * sum + Double(exponent) * 0.693_147_180_559_945_3
    }
}
