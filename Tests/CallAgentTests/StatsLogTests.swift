import Foundation
import MediaCore
import Testing

@testable import callagent

/// Scores of each second, and the file that tells of them.
@Suite struct StatsLogTests {
    private func sound(played: Int, concealed: Int) -> ReceiverStatistics {
        var counted = ReceiverStatistics()
        (counted.trackID, counted.kind) = ("t", .audio)
        counted.sound.totalSamplesReceived = played
        counted.sound.concealedSamples = concealed
        counted.sound.concealmentEvents = concealed / 960
        counted.sound.jitterBufferEmittedCount = played - concealed
        return counted
    }

    private func pictures(shown: Int, frozen: Double, freezes: Int) -> ReceiverStatistics {
        var counted = ReceiverStatistics()
        (counted.trackID, counted.kind, counted.height) = ("v", .video, 720)
        counted.rendering.framesRendered = shown
        (counted.frozenMilliseconds, counted.freezes) = (frozen, freezes)
        return counted
    }

    @Test func eachSecondIsScoredByItself() throws {
        var scores = SecondScores()
        func take(_ second: Double, _ counted: ReceiverStatistics) -> TrackScore {
            let track = SecondScores.Track(id: "1", from: "ada", counted: counted)
            let taken = scores.take(
                [track], roundTripMilliseconds: 20, at: MediaTime(nanoseconds: Int64(second * 1e9)))
            return taken[0]
        }
        let first = take(1, sound(played: 48_000, concealed: 0))
        #expect(first == TrackScore(trackIdentifier: "t", from: "ada", kind: "audio", mos: nil))
        let clean = try #require(take(2, sound(played: 96_000, concealed: 0)).mos)
        let bad = try #require(take(3, sound(played: 144_000, concealed: 9_600)).mos)
        let again = try #require(take(4, sound(played: 192_000, concealed: 9_600)).mos)
        #expect(clean > 4.3 && bad < 3 && again == clean)
        // Muted: nothing was played.
        #expect(take(5, sound(played: 192_000, concealed: 9_600)).mos == nil)
    }

    @Test func picturesThatStandStillScoreLess() throws {
        var scores = SecondScores()
        func take(_ second: Double, _ counted: ReceiverStatistics) -> Double? {
            let track = SecondScores.Track(id: "1", from: "ada", counted: counted)
            return scores.take([track], roundTripMilliseconds: nil, at: MediaTime(nanoseconds: Int64(second * 1e9)))[0]
                .mos
        }
        #expect(take(0, pictures(shown: 0, frozen: 0, freezes: 0)) == nil)
        let whole = try #require(take(1, pictures(shown: 30, frozen: 0, freezes: 0)))
        let half = try #require(take(2, pictures(shown: 45, frozen: 500, freezes: 1)))
        let none = try #require(take(3, pictures(shown: 45, frozen: 1_500, freezes: 1)))
        let back = try #require(take(4, pictures(shown: 75, frozen: 1_500, freezes: 1)))
        #expect(whole > 4.5 && half < 1.5 && none == 1 && back == whole)
        #expect(take(5, pictures(shown: 75, frozen: 1_500, freezes: 1)) == nil)
    }

    @Test(.timeLimit(.minutes(10))) func aCallWritesItsSecondsAndScoresItsSound() async throws {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("stats-\(UUID().uuidString).jsonl")
        defer { try? FileManager.default.removeItem(at: file) }
        let ending = try await AgentProcess.run([
            "call", "--provider", "fake", "--participants", "2", "--duration", "8", "--json", "--score", "--stats",
            file.path,
        ])
        #expect(ending.code == 0, "\(ending.errors)")
        let report = try #require(
            try JSONSerialization.jsonObject(with: Data(ending.output.utf8)) as? [String: Any])
        #expect(report["ok"] as? Bool == true)
        let sounds = try #require(report["tracks"] as? [[String: Any]]).compactMap { $0["audio"] as? [String: Any] }
        #expect(sounds.count == 2)
        for sound in sounds { #expect(try #require(sound["score"] as? Double) > 4, "\(sound)") }
        let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
        }
        #expect((14...20).contains(lines.count))
        #expect(Set(lines.compactMap { $0["participant"] as? String }) == ["alice", "bob"])
        let last = try #require(lines.last)
        let types = try #require(last["stats"] as? [[String: Any]]).compactMap { $0["type"] as? String }
        #expect(Set(types).isSuperset(of: ["inbound-rtp", "outbound-rtp", "remote-inbound-rtp", "transport", "codec"]))
        let scores = try #require(last["scores"] as? [[String: Any]])
        #expect(scores.count == 2 && scores.allSatisfy { $0["mos"] as? Double ?? 0 > 3.5 })
    }

    @Test func aFileThatCannotBeMadeIsNamed() async throws {
        let ending = try await AgentProcess.run([
            "call", "--provider", "fake", "--participants", "2", "--duration", "5", "--stats", "/none/stats.jsonl",
        ])
        #expect(ending.code == 3 && ending.errors.contains("--stats /none/stats.jsonl"), "\(ending.errors)")
    }
}
