import MediaCore
import RTCWire
import Testing

/// Pictures keep the distances that their sender gave them, whatever the network does to their arrival.
@Suite struct CaptureTimelineTests {
    private static func at(_ milliseconds: Double) -> Instant { Instant(nanoseconds: Int64(milliseconds * 1e6)) }

    /// Milliseconds of the timestamps, 90 kHz, that arrive at those times.
    private static func times(_ pictures: [(timestamp: UInt32, arrival: Double)]) -> [Double] {
        var timeline = CaptureTimeline()
        return pictures.map { Double(timeline.time(of: $0.timestamp, arrival: at($0.arrival)).nanoseconds) / 1e6 }
    }

    @Test func jitterOfTheNetworkDoesNotShow() {
        let arrivals: [Double] = [1_000, 1_090, 1_140, 1_260, 1_268, 1_335]
        let times = Self.times(arrivals.enumerated().map { (UInt32(6_000 * $0.offset), $0.element) })
        for (index, time) in times.enumerated() { #expect(abs(time - (1_000 + 66.667 * Double(index))) < 0.01) }
    }

    @Test func timestampsWrapAround() {
        let times = Self.times([(UInt32.max - 2_999, 500), (0, 540), (3_000, 570)])
        #expect(abs(times[2] - times[0] - 66.667) < 0.01)
    }

    @Test func theFastestPictureSetsTheLine() {
        // The first one was held up: the second, 100 ms later by its sender, can't have been captured after it came.
        let times = Self.times([(0, 1_000), (9_000, 1_050), (18_000, 1_150)])
        #expect(times[1] == 1_050 && abs(times[2] - 1_150) < 0.01)
    }

    @Test(arguments: [UInt32(900_000_000), 4_000_000_000, 2_147_483_648])
    func aClockThatWasSetAnewBeginsAnotherLine(jump: UInt32) {
        let times = Self.times([(0, 1_000), (jump, 1_033), (jump &+ 3_000, 1_070)])
        #expect(times[1] <= 1_033 && times[1] >= 1_000)
        #expect(times[2] >= times[1] && times[2] <= 1_070)
    }

    @Test func timesNeverGoBack() {
        var generator = SystemRandomNumberGenerator()
        var timeline = CaptureTimeline()
        var last = Int64.min
        for step in 0..<1_000 {
            let time = timeline.time(of: generator.next(), arrival: Self.at(Double(step) * 10))
            #expect(time.nanoseconds >= last)
            #expect(time.nanoseconds <= Int64(step) * 10_000_000)
            last = time.nanoseconds
        }
    }
}
