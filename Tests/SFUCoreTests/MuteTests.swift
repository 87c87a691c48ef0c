import RTCWire
import Testing

@testable import SFUCore

@Suite struct MuteTests {
    /// Whoever is muted may send on all the same; nobody hears it.
    @Test func nothingOfAMutedSoundIsPassedOn() {
        let bench = Bench(codec: .opus)
        func speak(_ numbers: Range<Int>) {
            for number in numbers {
                bench.feed(
                    Int64(number), timestamp: UInt32(number) * 960, payload: [0x78, UInt8(number)],
                    at: milliseconds(number * 20), level: 5)
            }
        }
        speak(0..<50)
        #expect(bench.sink.sent.count == 50)
        bench.sink.sent = []
        bench.producer.setMuted(true, now: milliseconds(1_000))
        speak(50..<100)
        #expect(bench.sink.sent.count == 2, "nothing but the beginning of the silence")
        bench.sink.sent = []
        bench.producer.setMuted(false, now: milliseconds(2_000))
        speak(100..<110)
        #expect(bench.sink.sent.map(\.payload) == (100..<110).map { [0x78, UInt8($0)] })
        #expect(bench.sink.sequences == Array(152..<162), "no gap to ask for")
        #expect(bench.sink.sent.map(\.packet.timestamp) == (100..<110).map { $0 * 960 }, "the sender's clock goes on")
    }

    @Test func whoIsMutedIsNoSpeaker() {
        let bench = Bench(codec: .opus)
        func speak(_ numbers: Range<Int>) {
            for number in numbers {
                bench.feed(
                    Int64(number), timestamp: UInt32(number) * 960, payload: [0x78], at: milliseconds(number * 20),
                    level: 5)
            }
        }
        bench.producer.setMuted(true, now: .zero)
        speak(0..<100)
        #expect(bench.producer.loudness(now: milliseconds(2_000)) == 0)
        bench.producer.setMuted(false, now: milliseconds(2_000))
        speak(100..<150)
        #expect(bench.producer.loudness(now: milliseconds(3_000)) > 0)
    }
}
