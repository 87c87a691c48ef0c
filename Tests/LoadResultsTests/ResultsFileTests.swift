import Foundation
import LoadResults
import Testing

@Suite struct ResultsFileTests {
    private let small = SampleRun(subscribers: 6, duration: 8, starved: 3..<5)

    @Test func whatIsWrittenIsReadBack() throws {
        var run = small.make()
        run.judge([try Threshold("join.p95<1s")])
        #expect(try ResultsFile.read(try ResultsFile.data(run)) == run)
    }

    @Test func fieldsOfALaterReleaseArePassedOver() throws {
        var object = try object(small.make())
        object["schemaVersion"] = "1.7"
        object["astrology"] = ["sign": "virgo"]
        var seconds = try #require(object["seconds"] as? [[String: Any]])
        seconds[0]["saturated"] = ["moonPhase"]
        seconds[0]["mood"] = 3
        object["seconds"] = seconds
        let read = try ResultsFile.read(try JSONSerialization.data(withJSONObject: object))
        #expect(read.schemaVersion == SchemaVersion(major: 1, minor: 7))
        #expect(read.seconds[0].saturated == [.other])
    }

    @Test(arguments: [
        ("2.0", "a later callagent"), ("0.3", "run the test again"), ("1", "MAJOR.MINOR"), ("-1.0", "MAJOR"),
    ])
    func anotherMajorVersionIsRefusedByItsNumber(version: String, words: String) throws {
        let problem = problem(#"{"schemaVersion":"\#(version)","all":"else is different"}"#)
        #expect(problem.hasPrefix("schemaVersion: ") && problem.contains(words))
    }

    @Test(arguments: [
        ("", "no JSON object"), ("[]", "another type"), ("{", "no JSON object"),
        ("{}", "schemaVersion: the field is missing"),
        (#"{"schemaVersion":"1.0"}"#, "run: the field is missing"),
    ])
    func whatIsNoResultsFileIsNamed(text: String, words: String) { #expect(problem(text).contains(words)) }

    @Test func aWrongFieldIsNamedByItsPath() throws {
        var object = try object(small.make())
        var seconds = try #require(object["seconds"] as? [[String: Any]])
        seconds[3]["participants"] = "many"
        object["seconds"] = seconds
        let text = try JSONSerialization.data(withJSONObject: object)
        #expect(problem(String(decoding: text, as: UTF8.self)).hasPrefix("seconds[3].participants: "))
    }

    @Test func impossibleTimesAreRefused() throws {
        var run = small.make()
        run.seconds[2].second = 1
        #expect(throws: ResultsFileError.self) { try read(run) }
        run = small.make()
        run.seconds[7].second = .max
        #expect(throws: ResultsFileError.self) { try read(run) }
        run = small.make()
        run.durationSeconds = 1e300
        #expect(throws: ResultsFileError.self) { try read(run) }
        run = small.make()
        run.participants[0].timeline?.intervalSeconds = 0
        #expect(throws: ResultsFileError.self) { try read(run) }
        run = small.make()
        run.participants[0].timeline?.packetsLost.removeLast()
        #expect(throws: ResultsFileError.self) { try read(run) }
    }

    @Test func aNumberThatJSONCannotHoldIsRefused() {
        var run = small.make()
        run.durationSeconds = .nan
        #expect(throws: ResultsFileError(problem: "a value is no number that JSON can hold")) {
            _ = try ResultsFile.data(run)
        }
    }

    private func read(_ run: LoadResults) throws { _ = try ResultsFile.read(try ResultsFile.data(run)) }

    private func object(_ run: LoadResults) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: try ResultsFile.data(run)) as? [String: Any])
    }

    /// Why a text is refused; empty where it is not.
    private func problem(_ text: String) -> String {
        do throws(ResultsFileError) {
            _ = try ResultsFile.read(Data(text.utf8))
            return ""
        } catch {
            return error.description
        }
    }
}

@Suite struct MetricsLinesTests {
    private let run = SampleRun(subscribers: 6, duration: 8, starved: 3..<5).make()

    private func lines(end: Bool) throws -> Data {
        var lines = try MetricsLines.header(run.run)
        for sample in run.seconds { lines += try MetricsLines.second(sample) }
        if end { lines += try MetricsLines.end(.complete, durationSeconds: 8) }
        return lines
    }

    @Test func wholeLinesMakeAWholeRun() throws {
        let read = try ResultsFile.read(try lines(end: true))
        #expect(read.state == .complete && read.durationSeconds == 8 && read.interruption == nil)
        #expect(read.seconds == run.seconds && read.run == run.run)
        #expect(read.histograms.join.count == run.histograms.join.count)
    }

    @Test func ofAKilledTesterAllButTheLastSecondIsThere() throws {
        let whole = try lines(end: false)
        let read = try ResultsFile.read(whole.prefix(whole.count - 30))
        #expect(read.state == .partial && read.interruption != nil)
        #expect(read.seconds == Array(run.seconds.dropLast()))
    }

    @Test func aBrokenLineInTheMiddleIsNamed() throws {
        var text = String(decoding: try lines(end: true), as: UTF8.self).split(separator: "\n").map(String.init)
        text[3] = "{nonsense"
        let error = #expect(throws: ResultsFileError.self) {
            _ = try ResultsFile.read(Data((text.joined(separator: "\n") + "\n").utf8))
        }
        #expect(error?.place == "line 4")
    }

    @Test func linesOfALaterReleaseArePassedOver() throws {
        let data = try lines(end: false) + Data(#"{"type":"weather","wind":3}"#.utf8) + Data("\n".utf8)
        #expect(try ResultsFile.read(data).seconds.count == 8)
    }
}
