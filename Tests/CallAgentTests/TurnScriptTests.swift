import Testing

@testable import callagent

/// Who speaks when, and how a listener's record is scored.
@Suite struct TurnScriptTests {
    @Test(arguments: [(4, 15.0), (4, 20.0), (2, 5.0), (20, 60.0), (4, 6.0)])
    func turnsFillTheCall(speakers: Int, duration: Double) throws {
        let script = TurnScript(speakers: speakers, duration: duration)
        #expect(script.turns.first?.start == 0)
        #expect(try #require(script.turns.last).end <= duration)
        for (turn, next) in zip(script.turns, script.turns.dropFirst()) {
            #expect(turn.end <= next.start)
            #expect(next.speaker == (turn.speaker + 1) % speakers)
        }
    }

    @Test func fourSpeakersEachHaveATurnIn15Seconds() {
        #expect(Set(TurnScript(speakers: 4, duration: 15).turns.map(\.speaker)) == [0, 1, 2, 3])
    }

    @Test func anInterruptedScriptEndsWhereTheCallDid() {
        let script = TurnScript(speakers: 4, duration: 20)
        let short = script.until(7)
        #expect(short.turns.map(\.speaker) == [0, 1] && short.turns.last?.end == 7)
        #expect(short.seconds(of: 0) == 4.75 && short.seconds(of: 1) == 2 && short.seconds(of: 2) == 0)
        #expect(script.completed(by: 7).turns.map(\.speaker) == [0])
        #expect(script.completed(by: 20).turns.count == script.turns.count)
        #expect(script.until(0).turns.isEmpty && script.until(100).turns.count == script.turns.count)
    }

    @Test func aPerfectRecordScoresOne() throws {
        let script = TurnScript(speakers: 4, duration: 20)
        let record = script.turns.map { (time: $0.start + 0.3, speaker: Optional($0.speaker)) }
        #expect(try #require(script.accuracy(of: record, silent: [3])) == 1)
    }

    @Test func aLateOrWrongRecordScoresLess() throws {
        let script = TurnScript(speakers: 2, duration: 10)
        let late = script.turns.map { (time: $0.start + 2.4, speaker: Optional($0.speaker)) }
        #expect(try #require(script.accuracy(of: late, silent: [])) < 0.6)
        #expect(script.accuracy(of: [(time: 0, speaker: 1)], silent: [1]) == 0)
        #expect(script.accuracy(of: [], silent: [0, 1]) == nil)
    }
}
