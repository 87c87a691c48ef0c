import Foundation
import MediaCore
import Testing

@testable import callagent

/// `score`, of files and of its calibration, and `join --score-reference`.
@Suite(.timeLimit(.minutes(10))) struct ScoreCommandTests {
    private static func speech(seconds: Double) throws -> [Int16] {
        var samples = [Int16](repeating: 0, count: Int(seconds * 48_000))
        let source = try SpeechSource("Good morning. Seven ships sailed south in September.")
        _ = samples.withUnsafeMutableBufferPointer { source.read(into: $0) }
        return samples
    }

    private static func write(_ samples: [Int16], _ path: String) throws -> String {
        let writer = try WAVWriter(path: path, channels: 1)
        writer.receive(AudioFrame(samples: samples))
        try writer.close()
        return path
    }

    private static func json(_ ending: AgentProcess.Ending) throws -> [String: Any] {
        let line = try #require(ending.output.split(separator: "\n").last, "no report; \(ending.errors)")
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test func filesAreScored() async throws {
        let folder = try TemporaryFolder()
        let speech = try Self.speech(seconds: 4)
        let said = try Self.write(speech, folder.path + "/said.wav")
        let quiet = [Int16](repeating: 0, count: 14_500)
        let heard = try Self.write(quiet + speech.map { $0 / 4 }, folder.path + "/heard.wav")
        let broken = try Self.write(
            speech.indices.map { $0 % 24_000 < 4_800 ? 0 : speech[$0] }, folder.path + "/broken.wav")
        let whole = try await AgentProcess.run(["score", "--reference", said, "--heard", heard, "--json"])
        #expect(whole.code == 0, "\(whole.errors)")
        let score = try #require(try Self.json(whole)["score"] as? Double)
        #expect(score > 4.5, "\(whole.output)")
        let scored = try #require(try Self.json(whole)["scored"] as? [String: Any])
        #expect(abs((scored["gainDb"] as? Double ?? 0) + 12) < 1.5 && scored["jumps"] as? Int == 0, "\(scored)")
        let less = try await AgentProcess.run(["score", "--reference", said, "--heard", broken, "--json"])
        #expect(try #require(try Self.json(less)["score"] as? Double) < score - 1, "\(less.output)")
        let text = try await AgentProcess.run(["score", "--reference", said, "--heard", heard])
        #expect(text.code == 0 && text.output.contains(" of 5, over "), "\(text.output)")
    }

    @Test func tooLittleToCompareIsCodeOne() async throws {
        let folder = try TemporaryFolder()
        let speech = try Self.speech(seconds: 1.5)
        let said = try Self.write(speech, folder.path + "/said.wav")
        let heard = try Self.write(Array(speech[..<24_000]), folder.path + "/heard.wav")
        let ending = try await AgentProcess.run(["score", "--reference", said, "--heard", heard])
        #expect(ending.code == 1 && ending.errors.contains(heard) && ending.output.isEmpty, "\(ending.errors)")
    }

    @Test func tablesAndPlotAreWhole() throws {
        let rows = try ScoreCalibration(seconds: 3, seeds: 1..<2).rows(losses: [0, 40])
        let report = CalibrationReport(
            losses: rows.map(CalibrationReport.Loss.init), harms: [.init(name: "silence", score: 1)],
            pictures: CalibrationReport.pictureScores)
        #expect(report.text.contains("| lost | 0 % | 40 % |") && report.text.contains("| silence | 1.00 |"))
        for pictures in report.pictures {
            for (less, more) in zip(pictures.scores, pictures.scores.dropFirst()) { #expect(more < less) }
        }
        let probe = XMLProbe(CalibrationPlot(report.losses).svg)
        #expect(probe.isWellFormed && probe.names.count { $0 == "polyline" } == 2)
    }

    @Test(arguments: [
        ["score"], ["score", "--reference", "a.wav"], ["score", "--calibrate", "--heard", "a.wav"],
        ["score", "--calibrate", "--seeds", "0"], ["score", "--calibrate", "--seconds", "61"],
        ["score", "--reference", "a.wav", "--heard", "b.wav", "--svg", "c.svg"],
    ])
    func wrongCommandLinesAreRefused(arguments: [String]) {
        #expect(throws: (any Error).self) { _ = try CallAgent.parseAsRoot(arguments) }
    }

    /// Over real sockets: what one plays over and over, another one scores from wherever it came in.
    @Test func aCallIsScoredAgainstAFile() async throws {
        let folder = try TemporaryFolder()
        let said = try Self.write(try Self.speech(seconds: 4), folder.path + "/said.wav")
        let server = try await ServerProcess.start()
        let call = ["join", "--url", server.url, "--room", "r"] + ServerProcess.credentials
        let bob = try AgentProcess(call + ["--identity", "bob", "--wav", said])
        let ada = try await AgentProcess.run(
            call + ["--identity", "ada", "--score-reference", said, "--duration", "8", "--json"])
        let tracks = try #require(try Self.json(ada)["tracks"] as? [[String: Any]], "\(ada.errors)")
        let sound = try #require(tracks.compactMap { $0["audio"] as? [String: Any] }.first, "\(ada.output)")
        // A machine that is busy with other tests may lose some; another sound would have about 1.
        #expect(try #require(sound["score"] as? Double) > 2.5, "\(ada.output)")
        #expect(try #require((sound["scored"] as? [String: Any])?["comparedSeconds"] as? Double) > 2, "\(ada.output)")
        bob.send(SIGTERM)
        _ = try await bob.ending()
        try await server.stop()
    }
}

/// Whether XML is well formed, and its elements.
private struct XMLProbe {
    private(set) var names: [String] = []
    private(set) var isWellFormed = false

    /// Tags that open and close in order; attributes in quotes.
    init(_ text: String) {
        var open: [Substring] = []
        var isRight = true
        for part in text.split(separator: "<") {
            guard let end = part.firstIndex(of: ">") else { return }
            let tag = part[..<end]
            let name = tag.drop { $0 == "/" }.prefix { $0.isLetter }
            if tag.hasPrefix("/") {
                isRight = isRight && open.popLast() == name
            } else {
                names.append(String(name))
                if !tag.hasSuffix("/") { open.append(name) }
            }
            isRight = isRight && tag.count { $0 == "\"" } % 2 == 0
        }
        isWellFormed = isRight && open.isEmpty
    }
}
