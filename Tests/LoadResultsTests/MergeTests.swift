import Foundation
import LoadResults
import Testing

@Suite struct MergeTests {
    private func shard(_ index: Int, of count: Int = 2, seed: UInt64, later: Int64 = 0) -> LoadResults {
        var sample = SampleRun(seed: seed, subscribers: 10, duration: 12, throttled: nil, starved: 6..<8)
        sample.shard = .init(index: index, count: count)
        sample.timestamp += later
        return sample.make()
    }

    @Test func countsAndBucketsAreExactSums() throws {
        let (one, two) = (shard(0, seed: 1), shard(1, seed: 2))
        let merged = try LoadResults.merge([("one", one), ("two", two)])
        for path in [\RunHistograms.join, \.firstAudio, \.firstVideo, \.latency, \.roundTripTime] {
            var counts: [UInt64: UInt64] = [:]
            for part in [one, two] {
                for bucket in part.histograms[keyPath: path].buckets {
                    counts[bucket.value, default: 0] += bucket.count
                }
            }
            let sum = merged.histograms[keyPath: path]
            #expect(sum.buckets.map(\.value) == counts.keys.sorted())
            #expect(sum.buckets.allSatisfy { counts[$0.value] == $0.count })
            #expect(sum.maximum == max(one.histograms[keyPath: path].maximum, two.histograms[keyPath: path].maximum))
        }
        let calls = try [one, two].map { try #require($0.histograms.rpc).count }
        #expect(merged.histograms.rpc?.count == calls.reduce(0, +))
        #expect(merged.data?.messagesExpected == 2 * (one.data?.messagesExpected ?? 0))
        #expect(merged.video == one.video + two.video && merged.audio == one.audio + two.audio)
        #expect(merged.participants.count == 20 && merged.state == .complete)
        #expect(merged.shards == [one.run, two.run] && merged.run.shard == nil)
        #expect(merged.seconds.map(\.second) == Array(0..<12))
    }

    @Test func whatOnlyOnePartHasIsKept() throws {
        var (one, two) = (shard(0, seed: 1), shard(1, seed: 2))
        (one.histograms.rpc, one.data) = (nil, nil)
        let merged = try LoadResults.merge([("one", one), ("two", two)])
        #expect(merged.histograms.rpc == two.histograms.rpc && merged.data == two.data)
        (two.histograms.rpc, two.data) = (nil, nil)
        let neither = try LoadResults.merge([("one", one), ("two", two)])
        #expect(neither.histograms.rpc == nil && neither.data == nil)
    }

    @Test func theOrderOfThePartsDoesNotMatter() throws {
        let parts = [("a", shard(0, of: 3, seed: 1)), ("b", shard(1, of: 3, seed: 2)), ("c", shard(2, of: 3, seed: 3))]
        let forth = try LoadResults.merge(parts)
        let back = try LoadResults.merge(parts.reversed())
        #expect(forth.histograms == back.histograms && forth.seconds == back.seconds)
    }

    @Test func mergedFilesCanBeMergedOn() throws {
        let (a, b, c) = (shard(0, of: 3, seed: 1), shard(1, of: 3, seed: 2), shard(2, of: 3, seed: 3))
        let some = try LoadResults.merge([("a", a), ("b", b)])
        #expect(some.state == .partial && some.interruption?.contains("1 of 3 shards are missing") == true)
        let read = try ResultsFile.read(try ResultsFile.data(some))
        let all = try LoadResults.merge([("some", read), ("c", c)])
        #expect(all.histograms == (try LoadResults.merge([("a", a), ("b", b), ("c", c)])).histograms)
        #expect(all.shards?.count == 3)
    }

    @Test func secondsArePutTogetherByTheClock() throws {
        let (one, two) = (shard(0, seed: 1), shard(1, seed: 2, later: 2_600))
        let merged = try LoadResults.merge([("one", one), ("two", two)])
        #expect(merged.seconds.map(\.second) == Array(0..<15))
        let fifth = one.seconds[5].video + two.seconds[2].video
        #expect(merged.seconds[5].video == fifth)
        #expect(merged.participants[10].startSecond == two.participants[0].startSecond + 3)
        #expect(merged.participants[10].timeline?.startSecond == 3)
        // Starved from 6 to 8 and from 9 to 11.
        #expect(merged.verdicts.saturation?.seconds == [6, 7, 9, 10])
    }

    @Test func thresholdsAreJudgedOfTheSum() throws {
        var (one, two) = (shard(0, seed: 1), shard(1, seed: 2))
        let threshold = try Threshold("participants.joins==20")
        one.judge([threshold])
        two.judge([threshold])
        #expect(!one.verdicts.thresholds[0].ok)
        #expect(try LoadResults.merge([("one", one), ("two", two)]).verdicts.thresholds.map(\.ok) == [true])
    }

    @Test func anInterruptedPartInterruptsTheWhole() throws {
        var two = shard(1, seed: 2)
        two.state = .interrupted
        two.interruption = "SIGINT"
        let merged = try LoadResults.merge([("one", shard(0, seed: 1)), ("two", two)])
        #expect(merged.state == .interrupted && merged.interruption == "two: SIGINT")
        #expect(!merged.verdicts.isWhole)
    }

    @Test func whatDoesNotFitIsRefused() throws {
        let one = shard(0, seed: 1)
        #expect(throws: MergeError.self) { try LoadResults.merge([]) }
        let twice = #expect(throws: MergeError.self) { try LoadResults.merge([("a.json", one), ("b.json", one)]) }
        #expect(twice?.description.contains("a.json and b.json are the same part") == true)
        let old = #expect(throws: MergeError.self) {
            try LoadResults.merge([("a", one), ("b", shard(1, seed: 2, later: 5_000_000_000))])
        }
        #expect(old?.description.contains("b began more than a month after") == true)
        var coarse = shard(1, seed: 2)
        var histogram = LatencyHistogram(significantDigits: .one)
        histogram.record(microseconds: 5)
        coarse.histograms.join = histogram.snapshot
        let digits = #expect(throws: MergeError.self) { try LoadResults.merge([("a", one), ("b", coarse)]) }
        #expect(digits?.description.contains("b has histograms of 1 digits") == true)
    }
}
