import Foundation
import LoadResults
import Testing

/// What can be had of the lines of a run that did not come to its end.
@Suite struct InterruptedLinesTests {
    private func lines(_ seconds: [Int], _ change: (inout SecondSample) -> Void = { _ in }) throws -> Data {
        var data = try MetricsLines.header(HandMade.header(.init(index: 1, count: 3)))
        for second in seconds {
            var sample = SecondSample(second: second)
            change(&sample)
            data += try MetricsLines.second(sample)
        }
        return data
    }

    private func refusal(_ data: Data) -> String? {
        do throws(ResultsFileError) {
            _ = try ResultsFile.read(data)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func anInterruptionIsToldWithItsReason() throws {
        let end = try MetricsLines.end(.interrupted, durationSeconds: 2.5, interruption: "interrupted by SIGINT")
        let read = try ResultsFile.read(try lines([0, 1]) + end)
        #expect(read.state == .interrupted && read.interruption == "interrupted by SIGINT")
        #expect(read.durationSeconds == 2.5 && read.run.shard == .init(index: 1, count: 3))
    }

    @Test func withoutAnEndItLastedAsLongAsItsSeconds() throws {
        let read = try ResultsFile.read(try lines([0, 1, 7]))
        #expect(read.state == .partial && read.durationSeconds == 8)
        #expect(read.seconds.map(\.second) == [0, 1, 7] && read.participants.isEmpty)
    }

    @Test func theHeaderAloneIsARun() throws {
        let read = try ResultsFile.read(try lines([]))
        #expect(read.seconds.isEmpty && read.state == .partial && read.durationSeconds == 0)
    }

    @Test func timesOfTheSecondsAddUp() throws {
        let read = try ResultsFile.read(
            try lines([0, 1, 2]) { sample in
                sample.latency = HandMade.times([1_000, 2_000], digits: 2)
                if sample.second == 1 { sample.join = HandMade.times([7_000], digits: 2) }
            })
        #expect(read.histograms.latency.buckets.map(\.count) == [3, 3] && read.histograms.join.count == 1)
        #expect(read.histograms.roundTripTime.isEmpty && read.histograms.rpc == nil)
    }

    @Test func secondsHaveToAscend() throws {
        #expect(refusal(try lines([0, 2, 1]))?.hasPrefix("seconds[2].second: they have to ascend") == true)
        #expect(refusal(try lines([3, 3]))?.hasPrefix("seconds[1].second") == true)
        #expect(refusal(try lines([-1]))?.hasPrefix("seconds[0].second") == true)
    }

    @Test func anotherMajorVersionIsRefusedByItsNumber() throws {
        let text = String(decoding: try lines([0]), as: UTF8.self).replacing(
            "\"schemaVersion\":\"\(LoadResults.schemaVersion)\"", with: "\"schemaVersion\":\"2.0\"")
        #expect(refusal(Data(text.utf8))?.contains("the file is of version 2.0") == true)
    }

    @Test func aFileThatIsEmptyOrNoneIsRefused() {
        #expect(refusal(Data()) != nil)
        #expect(refusal(Data("\n\n".utf8)) != nil)
        #expect(refusal(Data([0xff, 0xfe, 0x00])) != nil)
        #expect(refusal(Data(#"{"type":"run","schemaVersion":"1.1"}"#.utf8)) == "line 1: the run's header is missing")
    }

    @Test func theyAreJudgedLikeAnyRun() throws {
        var read = try ResultsFile.read(try lines([0, 1]) { $0.participants.joins = 2 })
        read.judge([try Threshold("participants.joins==4")])
        #expect(read.verdicts.thresholds.map(\.ok) == [true] && !read.verdicts.isWhole)
        #expect(read.verdicts.failures == ["the run is partial: the tester ended without a word"])
    }
}
