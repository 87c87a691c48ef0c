/// What must hold of one person, and where the file says so.
package struct Expectation: Sendable, Hashable {
    /// Nil: of the whole call.
    package var who: String?
    package var claim: Claim
    /// Where it is judged; nil: wherever the plan says that media flows, or at the end.
    package var window: Range<Int>?
    package var position: SourcePosition

    package enum Claim: Sendable, Hashable {
        case receives(ScenarioMedia, from: String, MediaLimits)
        case receivesNot(ScenarioMedia, from: String)
        case meets(Set<String>)
        case joinTime(Limit)
        case reconnects(Limit)
        case gap(Limit)
        case ended(ScenarioEnding)
        case provider(ScenarioProvider)
        case providerChanges(Limit)
        case speaker(String)
        case indicator(String)
        case recorded(from: String, length: Limit?, tracks: Limit?)
        case greeting(Limit)
        case overlap(Limit)
        case ring(ScenarioRingOutcome)
        case undecryptable(Limit)
        case event(String, Limit)
        case validJournal
    }
}

/// How well media must come.
package struct MediaLimits: Sendable, Hashable {
    package var share = Limit(.atLeast, 90, .percent)
    package var concealment: Limit?
    package var loss: Limit?
    package var frames: Limit?
    package var missing: Limit?
    package var freezes: Limit?
    package var freezeRatio: Limit?
    package var firstFrame: Limit?

    package init() {}
}

/// `>= 90%`: a comparison, a number and its unit. Durations are milliseconds.
package struct Limit: Sendable, Hashable, CustomStringConvertible {
    package enum Comparison: String, Sendable, CaseIterable {
        case atLeast = ">="
        case atMost = "<="
        case above = ">"
        case below = "<"
        case equal = "="
    }

    package var comparison: Comparison
    package var value: Double
    package var unit: LimitUnit

    package init(_ comparison: Comparison, _ value: Double, _ unit: LimitUnit) {
        self.comparison = comparison
        self.value = value
        self.unit = unit
    }

    package func holds(_ measured: Double) -> Bool {
        switch comparison {
        case .atLeast: measured >= value
        case .atMost: measured <= value
        case .above: measured > value
        case .below: measured < value
        case .equal: measured == value
        }
    }

    package var description: String { "\(comparison.rawValue) \(Self.text(value, unit))" }

    /// A measured value as the limit's own is written.
    package static func text(_ value: Double, _ unit: LimitUnit) -> String {
        let number = Decimal.text(value)
        return switch unit {
        case .count: number
        case .percent: number + " %"
        case .duration: number + " ms"
        }
    }
}

/// What a limit counts.
package enum LimitUnit: String, Sendable {
    case count
    case percent
    case duration
}
