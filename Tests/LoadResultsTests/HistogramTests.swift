import Foundation
import Histogram
import LoadResults
import Testing

@Suite struct HistogramTests {
    @Test func aSnapshotHasThePercentilesOfTheLibrary() {
        var random = SampleRun.Generator(state: 7)
        var ours = LatencyHistogram()
        var library = Histogram<UInt64>(highestTrackableValue: 3_600_000_000, numberOfSignificantValueDigits: .three)
        for _ in 0..<5_000 {
            let time = random.next() % (UInt64(1) << (random.next() % 32))
            ours.record(microseconds: time)
            library.record(min(time, 3_600_000_000))
        }
        let snapshot = ours.snapshot
        for percentile in [0.1, 1, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100] {
            #expect(snapshot.percentile(percentile) == Double(library.valueAtPercentile(percentile)) / 1_000)
        }
        #expect(snapshot.count == library.totalCount && snapshot.maximum == library.maxRecorded)
        #expect(abs((snapshot.mean ?? 0) * 1_000 - library.mean) < 1)
    }

    @Test func timesOutsideOfTheRangeAreCountedAtItsEnds() {
        var histogram = LatencyHistogram(significantDigits: .two)
        histogram.record(nanoseconds: -5)
        histogram.record(nanoseconds: .max)
        #expect(histogram.snapshot.buckets.map(\.count) == [1, 1])
        #expect(histogram.snapshot.percentile(100) == 3_600_000)
        histogram.reset()
        #expect(histogram.count == 0 && histogram.snapshot.percentile(50) == nil && histogram.snapshot.mean == nil)
    }

    @Test func sumsOfPartsAreBucketExact() {
        var random = SampleRun.Generator(state: 11)
        var whole = LatencyHistogram()
        var parts = [LatencyHistogram(), LatencyHistogram(), LatencyHistogram()]
        for index in 0..<3_000 {
            let time = random.next() % 4_000_000
            whole.record(microseconds: time)
            parts[index % 3].record(microseconds: time)
        }
        var sum = HistogramSnapshot()
        for part in parts {
            let isAdded = sum.add(part.snapshot)
            #expect(isAdded)
        }
        #expect(sum == whole.snapshot)
    }

    @Test func anotherPrecisionIsNotAdded() {
        var coarse = LatencyHistogram(significantDigits: .two)
        coarse.record(microseconds: 5)
        var sum = HistogramSnapshot(significantDigits: 3, maximum: 7, buckets: [.init(value: 7, count: 1)])
        let isAdded = sum.add(coarse.snapshot)
        #expect(!isAdded)
        #expect(sum.count == 1)
    }

    @Test func itSurvivesJSON() throws {
        var histogram = LatencyHistogram()
        for time in [0, 1, 999, 1_000, 123_456, 3_599_999_999] as [UInt64] {
            histogram.record(microseconds: time, count: 3)
        }
        let data = try JSONEncoder().encode(histogram.snapshot)
        #expect(try JSONDecoder().decode(HistogramSnapshot.self, from: data) == histogram.snapshot)
    }

    @Test(arguments: [
        (#"{"unit":"ms","significantDigits":3,"maximum":0,"buckets":[]}"#, "microseconds"),
        (#"{"unit":"us","significantDigits":9,"maximum":0,"buckets":[]}"#, "1 to 5"),
        (#"{"unit":"us","significantDigits":3,"maximum":0,"buckets":[[1]]}"#, "[value, count]"),
        (#"{"unit":"us","significantDigits":3,"maximum":9,"buckets":[[9,1],[9,1]]}"#, "ascend"),
        (#"{"unit":"us","significantDigits":3,"maximum":9,"buckets":[[9,0]]}"#, "count"),
        (#"{"unit":"us","significantDigits":3,"maximum":9,"buckets":[[9,18446744073709551615]]}"#, "count"),
        (#"{"unit":"us","significantDigits":3,"maximum":5001,"buckets":[[5001,1]]}"#, "begins at 5001"),
        (#"{"unit":"us","significantDigits":3,"maximum":99999999999,"buckets":[[99999999999,1]]}"#, "begins at"),
        (#"{"unit":"us","significantDigits":3,"maximum":3,"buckets":[[9,1]]}"#, "recorded bucket"),
        (#"{"unit":"us","significantDigits":3,"maximum":99,"buckets":[[9,1]]}"#, "recorded bucket"),
    ])
    func hostileHistogramsAreRefused(json: String, problem: String) {
        do {
            _ = try JSONDecoder().decode(HistogramSnapshot.self, from: Data(json.utf8))
            Issue.record("\(json) was taken")
        } catch DecodingError.dataCorrupted(let context) {
            #expect(context.debugDescription.contains(problem))
        } catch {
            Issue.record(error)
        }
    }
}
