import RTCSim
import RTCWire
import Testing

@testable import RTCCore

@Suite struct QueueOnsetTests {
    private struct Packet {
        /// In milliseconds, as are those below.
        var at: Double
        var excess: Double
        var size = 1_000
    }

    /// When a queue was found, and what had come of it; nil where none was.
    private func onset(_ packets: [Packet], rate: Double? = 800_000) -> (at: Double, bytes: Int, since: Double)? {
        var onset = QueueOnset()
        let zero = Instant.zero + .seconds(50)
        for packet in packets {
            let arrival = zero + .seconds(packet.at / 1_000)
            if let found = onset.note(.seconds(packet.excess / 1_000), packet.size, arrival, rate: rate) {
                return (packet.at, found.bytes, (found.start - zero).milliseconds)
            }
        }
        return nil
    }

    /// A packet each 10 ms; then one each 20 ms, for half as much passes, each 10 ms later than the one before.
    private func narrowing(by later: Double = 10, each gap: Double = 20) -> [Packet] {
        let before = (0..<10).map { Packet(at: 10 * Double($0), excess: 2) }
        return before + (1...20).map { Packet(at: 90 + gap * Double($0), excess: 2 + later * Double($0)) }
    }

    @Test func aQueueThatBeginsIsFoundWithinAFifthOfASecond() throws {
        let found = try #require(onset(narrowing()))
        #expect(found.at <= 300 && found.since >= 90)
        #expect(found.bytes == Int((found.at - found.since) / 20) * 1_000)
    }

    /// What is in a queue comes as fast as it passes: nothing has got narrower where as much comes as before.
    @Test func aLargePictureIsNone() {
        #expect(onset(narrowing(by: 10, each: 10)) == nil)
        #expect(onset(narrowing(), rate: 400_000) == nil)
        #expect(onset(narrowing(), rate: nil) == nil)
    }

    /// One that fills by less than 0.4 of the time is left to the filter for slopes.
    @Test func aSlowQueueIsNone() { #expect(onset(narrowing(by: 7)) == nil) }

    @Test func aLongerWayIsNone() {
        let before = (0..<10).map { Packet(at: 10 * Double($0), excess: 2) }
        #expect(onset(before + (0..<40).map { Packet(at: 180 + 20 * Double($0), excess: 82) }) == nil)
    }

    /// Three pauses of 200 ms, after each of which the late ones come first.
    @Test func whatComesAfterAPauseIsNone() {
        var packets: [Packet] = []
        for pause in 0..<3 {
            let start = 500 * Double(pause)
            packets += (0..<10).map { Packet(at: start + 10 * Double($0), excess: 2) }
            packets += (0..<20).map { Packet(at: start + 300 + Double($0), excess: 200 - 10 * Double($0)) }
        }
        #expect(onset(packets) == nil)
    }

    /// Delays that only stray.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func jitterIsNone(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let packets = (0..<10_000).map { index in
            Packet(at: 12 * Double(index), excess: Double.random(in: 0...80, using: &random))
        }
        #expect(onset(packets) == nil)
    }

    /// A packet now and then says nothing of a queue between them.
    @Test func whatComesRarelyIsNone() {
        #expect(onset((0..<20).map { Packet(at: 160 * Double($0), excess: 100 * Double($0)) }, rate: 800_000) == nil)
    }
}
