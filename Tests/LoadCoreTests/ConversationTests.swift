import LoadCore
import RTCSim
import Testing

@Suite struct ConversationTests {
    private func conversation(_ talkers: Int, _ duration: Double, seed: UInt64) -> Conversation {
        var random = SeededGenerator(seed: seed)
        return Conversation(talkers: talkers, duration: duration, using: &random)
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>) func turnsAreThoseOfAConversation(seed: UInt64) throws {
        let spurts = conversation(4, 1800, seed: seed).spurts
        let speech = spurts.reduce(0) { $0 + $1.end - $1.start }
        // Hardly anybody is silent for long, and hardly anybody is talked over for long.
        #expect((0.75...1.1).contains(speech / 1800))
        let turns = spurts.filter { $0.end - $0.start > 0.9 }.map { $0.end - $0.start }
        #expect((2.5...4.2).contains(turns.reduce(0, +) / Double(turns.count)))
        for talker in 0..<4 {
            let own = spurts.filter { $0.talker == talker }
            #expect((0.1...0.45).contains(own.reduce(0) { $0 + $1.end - $1.start } / speech))
            for (one, next) in zip(own, own.dropFirst()) { #expect(one.end <= next.start) }
        }
    }

    @Test func someTurnsOverlap() {
        let spurts = conversation(3, 1800, seed: 5).spurts
        let overlaps = zip(spurts, spurts.dropFirst()).count { $1.start < $0.end }
        #expect((0.2...0.6).contains(Double(overlaps) / Double(spurts.count)))
    }

    @Test func oneTalkerPauses() {
        let spurts = conversation(1, 600, seed: 2).spurts
        #expect(spurts.count > 50)
        #expect(spurts.allSatisfy { $0.talker == 0 && $0.end <= 600 })
    }

    @Test func nobodyIsSilent() { #expect(conversation(0, 60, seed: 1).spurts.isEmpty) }
}
