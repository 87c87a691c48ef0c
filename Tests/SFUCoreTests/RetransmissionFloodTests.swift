import RTCCore
import RTCWire
import Testing

@testable import SFUCore

/// A subscriber asks for packets again and again.
@Suite struct RetransmissionFloodTests {
    private static let size = 1100

    /// Two seconds of 240 packets each have been sent.
    private func filled() -> Bench {
        let bench = Bench(codec: .vp8)
        for step in 0..<480 {
            var payload = vp8(UInt16(step), key: step == 0, body: UInt8(step & 255))
            payload += [UInt8](repeating: 7, count: Self.size - payload.count)
            bench.feed(
                Int64(10 + step), timestamp: UInt32(step / 8) * 3000, payload: payload, at: milliseconds(step * 4))
        }
        bench.sink.sent = []
        return bench
    }

    private var last430: [UInt16] { (0..<430).map { UInt16(100 + 50 + $0) } }

    @Test func theSameListTenTimesIsAnsweredOnce() {
        let bench = filled()
        for _ in 0..<10 { bench.consumer.resend(last430, now: milliseconds(1930), spacing: .milliseconds(15)) }
        let bytes = bench.sink.sent.reduce(0) { $0 + $1.payload.count }
        print("ten lists of 430 numbers: \(bench.sink.sent.count) packets, \(bytes) bytes")
        #expect(bench.sink.sent.count == 430)
        #expect(Set(bench.sink.sent.map { $0.payload.prefix(2) }).count == 430)
        #expect(bench.statistics.retransmissions == 430)
        #expect(bench.statistics.retransmissionsRefused == 9 * 430)
    }

    /// With a round trip between the lists, too, the stream costs no more than twice.
    @Test func aSecondOfListsStaysWithinTheBudget() {
        let bench = filled()
        for step in 0..<100 {
            bench.consumer.resend(last430, now: milliseconds(1930 + step * 10), spacing: .milliseconds(5))
        }
        let bytes = bench.sink.sent.reduce(0) { $0 + $1.payload.count }
        print("a hundred lists in a second: \(bench.sink.sent.count) packets, \(bytes) bytes")
        #expect(bytes <= 480 * (Self.size + 4) + RetransmissionBudget.start)
        #expect(bench.statistics.retransmissionsRefused > 40_000)
    }

    /// Numbers that nobody can have are looked for once per round trip, and those of a whole datagram are bounded.
    @Test func unknownNumbersCostLittle() {
        let bench = filled()
        let unknown = (0..<5000).map { UInt16(truncatingIfNeeded: 30_000 + $0) }
        for _ in 0..<10 { bench.consumer.resend(unknown, now: milliseconds(2000), spacing: .milliseconds(15)) }
        #expect(bench.sink.sent.isEmpty)
        #expect(bench.statistics.retransmissionMisses == 10 * 1024)
        // Lost on its way here: within reach, and not at hand.
        let gap = Bench(codec: .vp8)
        gap.feed(10, timestamp: 0, payload: vp8(1, key: true))
        gap.feed(14, timestamp: 0, payload: vp8(1))
        for _ in 0..<5 { gap.consumer.resend([101], now: milliseconds(10), spacing: .milliseconds(15)) }
        #expect(gap.statistics.retransmissionMisses == 1 && gap.statistics.retransmissionsRefused == 4)
        gap.feed(11, timestamp: 0, payload: vp8(1, starts: false), at: milliseconds(20))
        gap.sink.sent = []
        gap.consumer.resend([101], now: milliseconds(40), spacing: .milliseconds(15))
        #expect(gap.sink.sent.count == 1)
    }
}
