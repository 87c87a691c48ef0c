import RTCSim

/// Who talks when in a conversation. Turns are taken over after a fifth of a second on average, about a third of them before
/// the one before has ended; listeners throw in short words; now and then nobody speaks (Heldner and Edlund, "Pauses, gaps
/// and overlaps in conversations", 2010). A value.
package struct Conversation: Sendable, Equatable {
    /// One talker's speech without a pause. Seconds since the beginning.
    package struct Spurt: Sendable, Equatable {
        package var talker: Int
        package var start: Double
        package var end: Double
    }

    /// In the order of their beginnings; those of one talker don't overlap.
    package private(set) var spurts: [Spurt] = []

    /// - Parameters:
    ///   - talkers: nobody speaks where there are none; one speaks with pauses.
    ///   - duration: seconds.
    package init(talkers: Int, duration: Double, using random: inout SeededGenerator) {
        guard talkers > 0 else { return }
        var (talker, before) = (Int(random.uniform() * Double(talkers)), -1)
        var time = random.uniform()
        while time < duration {
            let end = min(duration, time + Self.turn(&random))
            add(Spurt(talker: talker, start: time, end: end))
            addWords(beside: talker, from: time, to: end, talkers, &random)
            time = max(time + 0.3, end + Self.gap(&random))
            let next = Self.next(after: talker, before: before, talkers, &random)
            (before, talker) = (talker, next)
        }
        spurts.sort { ($0.start, $0.talker) < ($1.start, $1.talker) }
    }

    /// Where that talker speaks already, nothing is added.
    private mutating func add(_ spurt: Spurt) {
        let isFree = !spurts.contains { $0.talker == spurt.talker && $0.start < spurt.end && spurt.start < $0.end }
        if isFree, spurt.end - spurt.start >= 0.1 { spurts.append(spurt) }
    }

    /// A listener's "mhm", in a third of the longer turns.
    private mutating func addWords(
        beside talker: Int, from start: Double, to end: Double, _ talkers: Int, _ random: inout SeededGenerator
    ) {
        let (chance, who, place, length) = (random.uniform(), random.uniform(), random.uniform(), random.uniform())
        guard talkers > 1, end - start > 2, chance < 0.35 else { return }
        let other = (talker + 1 + Int(who * Double(talkers - 1))) % talkers
        let begin = start + 0.8 + place * (end - start - 1.6)
        add(Spurt(talker: other, start: begin, end: min(end, begin + 0.3 + 0.4 * length)))
    }

    /// Seconds of a turn: 3.2 on average, few below one and few above ten.
    private static func turn(_ random: inout SeededGenerator) -> Double {
        min(20, 0.6 + random.exponential(mean: 1.3) + random.exponential(mean: 1.3))
    }

    /// Seconds between two turns; below zero they overlap.
    private static func gap(_ random: inout SeededGenerator) -> Double {
        guard random.uniform() > 0.08 else { return 1 + 3 * random.uniform() }
        let sum = random.uniform() + random.uniform() + random.uniform()
        return 0.2 + 0.6 * (sum - 1.5)
    }

    /// Mostly two of them talk with each other.
    private static func next(
        after talker: Int, before: Int, _ talkers: Int, _ random: inout SeededGenerator
    ) -> Int {
        let (goesBack, other) = (random.uniform() < 0.6, random.uniform())
        guard talkers > 1 else { return talker }
        if goesBack, before >= 0, before != talker { return before }
        return (talker + 1 + Int(other * Double(talkers - 1))) % talkers
    }
}
