/// Who speaks when: everybody in turn, again and again.
struct TurnScript {
    struct Turn {
        var speaker: Int
        /// Seconds from the start of the call.
        var start: Double
        var end: Double
    }

    let turns: [Turn]
    /// Silence between two turns.
    static let pause = 0.25

    /// - Parameters:
    ///   - speakers: at least 1.
    ///   - duration: seconds.
    init(speakers: Int, duration: Double) {
        let fair = duration / Double(max(1, speakers))
        let length = min(5, fair)
        var turns: [Turn] = []
        var start = 0.0
        while start + 0.5 < duration {
            let end = min(duration, start + length)
            turns.append(Turn(speaker: turns.count % max(1, speakers), start: start, end: end - Self.pause))
            start = end
        }
        self.turns = turns
    }

    private init(turns: [Turn]) { self.turns = turns }

    /// The script of a call that ended after so many seconds.
    func until(_ end: Double) -> TurnScript {
        TurnScript(
            turns: turns.filter { $0.start < end }.map {
                Turn(speaker: $0.speaker, start: $0.start, end: min($0.end, end))
            })
    }

    /// The turns that are over after so many seconds.
    func completed(by end: Double) -> TurnScript { TurnScript(turns: turns.filter { $0.end <= end }) }

    /// For how many seconds somebody has the turn.
    func seconds(of speaker: Int) -> Double {
        turns.filter { $0.speaker == speaker }.map { max(0, $0.end - $0.start) }.reduce(0, +)
    }

    /// Who has the turn at `time`; nil in a pause.
    func speaker(at time: Double) -> Int? {
        turns.first { $0.start <= time && time < $0.end }?.speaker
    }

    /// How well a listener's record of active speakers follows the script: the share of the others' speech time with the
    /// right speaker, leaving out the first 400 ms of each turn.
    ///
    /// - Parameters:
    ///   - record: from which second on whom the listener took for the speaker, ascending.
    ///   - silent: speakers who are muted, and the listener.
    func accuracy(of record: [(time: Double, speaker: Int?)], silent: Set<Int>) -> Double? {
        var scored = 0.0
        var right = 0.0
        for turn in turns where !silent.contains(turn.speaker) {
            let start = turn.start + 0.4
            guard turn.end > start, turn.end - turn.start >= 1 else { continue }
            scored += turn.end - start
            right += Self.time(of: turn.speaker, in: record, from: start, to: turn.end)
        }
        return scored > 0 ? right / scored : nil
    }

    private static func time(
        of speaker: Int, in record: [(time: Double, speaker: Int?)], from start: Double, to end: Double
    ) -> Double {
        var sum = 0.0
        for (index, entry) in record.enumerated() where entry.speaker == speaker {
            let next = index + 1 < record.count ? record[index + 1].time : .infinity
            sum += max(0, min(end, next) - max(start, entry.time))
        }
        return sum
    }
}
