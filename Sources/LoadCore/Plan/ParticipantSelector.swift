/// Some of a run's participants, as people name them: `everybody`, `publishers`, `subscribers`, `subscriber 3` of each room,
/// `10% of subscribers`. A value.
package struct ParticipantSelector: Sendable, Equatable {
    /// Whom it is about.
    enum Kind: Sendable, Equatable { case everybody, publishers, subscribers }

    /// How many of those.
    enum Part: Sendable, Equatable {
        case all
        /// The one with that number in each room, from 0, as in its identity.
        case one(Int)
        /// So many of a hundred, evenly spread over all rooms.
        case percent(Double)
    }

    let kind: Kind
    let part: Part

    /// What it reads, for messages.
    package static let forms = "everybody, publishers, subscribers, publisher 0, subscriber 3, 10% of subscribers"

    /// Nil where the text names nobody.
    package init?(_ text: some StringProtocol) {
        let words = text.lowercased().split(separator: " ")
        switch words.count {
        case 1:
            guard let kind = Self.kind(words[0]) else { return nil }
            self.init(kind, .all)
        case 2:
            guard let number = Int(words[1]), (0..<100_000).contains(number) else { return nil }
            switch words[0] {
            case "publisher": self.init(.publishers, .one(number))
            case "subscriber": self.init(.subscribers, .one(number))
            default: return nil
            }
        case 3:
            guard words[1] == "of", let kind = Self.kind(words[2]), words[0].hasSuffix("%"),
                let percent = Double(words[0].dropLast()), percent > 0, percent <= 100
            else { return nil }
            self.init(kind, .percent(percent))
        default: return nil
        }
    }

    private init(_ kind: Kind, _ part: Part) {
        self.kind = kind
        self.part = part
    }

    private static func kind(_ word: Substring) -> Kind? {
        switch word {
        case "everybody": .everybody
        case "publishers": .publishers
        case "subscribers": .subscribers
        default: nil
        }
    }

    /// Whether a participant is one of them.
    package func selects(_ participant: PlannedParticipant) -> Bool {
        switch kind {
        case .everybody: break
        case .publishers: guard participant.publishes else { return false }
        case .subscribers: guard !participant.publishes else { return false }
        }
        switch part {
        case .all: return true
        case .one(let number): return participant.place == number
        case .percent(let percent):
            // One more of them wherever the sum of the shares passes a whole number.
            func reached(_ count: Int) -> Double { (Double(count) * percent / 100).rounded(.down) }
            return reached(participant.ordinal + 1) > reached(participant.ordinal)
        }
    }
}
