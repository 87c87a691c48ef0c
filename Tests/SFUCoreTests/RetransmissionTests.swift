import RTCCore
import RTCWire
import Testing

@testable import SFUCore

@Suite struct RetransmissionTests {
    private func filled(_ codec: MediaCodec = .vp8, rtx: Bool = true) -> Bench {
        let bench = Bench(codec: codec, rtx: rtx)
        for step: Int64 in 0..<20 {
            bench.feed(
                10 + step, timestamp: UInt32(step) * 3000,
                payload: vp8(UInt16(step), key: step == 0, body: UInt8(step)),
                marker: step == 3)
        }
        return bench
    }

    @Test func madeAgainFromTheRing() throws {
        let bench = filled()
        let original = bench.sink.sent[3]
        bench.sink.sent = []
        bench.consumer.resend([103], now: .zero, spacing: .milliseconds(20))
        let again = try #require(bench.sink.sent.first)
        #expect(again.packet.ssrc == 8)
        #expect(again.packet.payloadType == 121)
        #expect(again.packet.sequenceNumber == 5)
        #expect(again.packet.timestamp == original.packet.timestamp)
        #expect(again.packet.marker)
        #expect(again.payload == [0, 103] + original.payload)
        #expect(bench.statistics.retransmissions == 1)
    }

    @Test func oncePerRoundTrip() {
        let bench = filled()
        bench.sink.sent = []
        for ms in [0, 5, 19, 20, 25] { bench.consumer.resend([104], now: milliseconds(ms), spacing: .milliseconds(20)) }
        #expect(bench.sink.sent.count == 2)
        #expect(bench.sink.sequences == [5, 6])
    }

    /// Who asks more than once because requests get lost gets three answers a round trip, a while apart, where the stream may repeat
    /// plenty; who asks all the time gets no more.
    @Test func asOftenAsRequestsAreSaid() {
        let bench = filled()
        let spacing = RepetitionSpacing(roundTrip: .milliseconds(100), isQueued: false)
        func answered(_ times: Range<Int>) -> [Int] {
            times.filter { ms in
                bench.sink.sent = []
                bench.consumer.resend([104], now: milliseconds(ms), spacing: spacing)
                return !bench.sink.sent.isEmpty
            }
        }
        #expect(answered(50..<250) == [50, 125, 200])
        for step: Int64 in 0..<20 {
            bench.feed(
                30 + step, timestamp: UInt32(20 + step) * 3000,
                payload: vp8(UInt16(20 + step)) + Array(repeating: 0, count: 1_000),
                at: milliseconds(250))
        }
        #expect(answered(300..<500) == [300, 315, 330, 375, 390, 405, 450, 465, 480])
    }

    @Test func afterASwitchOfTheSource() throws {
        let bench = filled()
        bench.feed(900, timestamp: 5, payload: vp8(77, key: true, body: 200), ssrc: 2, at: milliseconds(100))
        bench.sink.sent = []
        bench.consumer.resend([119, 120], now: milliseconds(110), spacing: .zero)
        #expect(bench.sink.sent.count == 2)
        #expect(bench.sink.sent.map { $0.payload.dropLast().last } == [19, 200])
        #expect(try #require(descriptor(Array(bench.sink.sent[1].payload.dropFirst(2)))).pictureID == 20)
    }

    @Test func whatWasNeverSentOrIsGone() {
        let bench = filled()
        bench.sink.sent = []
        bench.consumer.resend([99, 120, 50_000, 0], now: .zero, spacing: .zero)
        #expect(bench.sink.sent.isEmpty)
        #expect(bench.statistics.retransmissionMisses == 4)
        for step: Int64 in 0..<2000 { bench.feed(40 + step, timestamp: 0, payload: vp8(1)) }
        bench.sink.sent = []
        bench.consumer.resend([105], now: .zero, spacing: .zero)
        #expect(bench.sink.sent.isEmpty)
    }

    @Test func neverWithoutAStreamOfItsOwn() {
        let bench = filled(rtx: false)
        bench.sink.sent = []
        bench.consumer.resend([103], now: .zero, spacing: .zero)
        #expect(bench.sink.sent.isEmpty)
    }

    private func first(of sequence: Int64, in ring: borrowing PacketRing) -> UInt8? {
        ring.find(sequence, codec: .otherVideo)?.payload.first
    }

    @Test func aSourceOfOnePacketTakesNoRing() {
        var ring = PacketRing(packets: 1024, bytes: 512 * 1024)
        func store(_ sequence: Int64, _ count: Int) {
            [UInt8](repeating: UInt8(sequence), count: count).withUnsafeBytes {
                ring.store(
                    SourcePacket(
                        sequence: sequence, timestamp: 0, marker: false, extensions: RTPExtensions(), payload: $0,
                        arrival: .zero, codec: .otherVideo))
            }
        }
        store(5, 1200)
        var held = ring.heldBytes
        #expect(held <= 1500 && first(of: 5, in: ring) == 5)
        store(6, 1200)
        held = ring.heldBytes
        #expect(held <= 20 * 1024)
        #expect(first(of: 5, in: ring) == 5 && first(of: 6, in: ring) == 6)
        var large = PacketRing(packets: 8, bytes: 4000)
        [UInt8](repeating: 1, count: 3000).withUnsafeBytes {
            large.store(
                SourcePacket(
                    sequence: 1, timestamp: 0, marker: false, extensions: RTPExtensions(), payload: $0, arrival: .zero,
                    codec: .otherVideo))
        }
        let hasLarge = large.has(1)
        #expect(hasLarge)
    }

    /// The packets of the last two seconds are there at any rate, whole, and hardly more memory than they need is held.
    @Test(arguments: [1, 60, 120, 200]) func aRingFitsItsSource(perSecond: Int) {
        var ring = PacketRing(packets: 1024, bytes: 512 * 1024)
        for number in 0..<(20 * perSecond) {
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 1000).withUnsafeBytes {
                ring.store(
                    SourcePacket(
                        sequence: Int64(number), timestamp: 0, marker: false, extensions: RTPExtensions(), payload: $0,
                        arrival: .zero + .milliseconds(1000 * number / perSecond), codec: .otherVideo))
            }
            for back in 0..<min(2 * perSecond, number + 1) {
                let found = first(of: Int64(number - back), in: ring)
                #expect(found == UInt8(truncatingIfNeeded: number - back))
            }
        }
        let held = ring.heldBytes
        #expect(held <= 1500 + 16 * 1024 + perSecond * 2000 * 5 / 4)
    }

    @Test func ringIsBoundedInBytes() throws {
        var ring = PacketRing(packets: 8, bytes: 1000)
        let payload = [UInt8](repeating: 7, count: 400)
        for sequence: Int64 in 0..<5 {
            payload.withUnsafeBytes {
                ring.store(
                    SourcePacket(
                        sequence: sequence, timestamp: 0, marker: false, extensions: RTPExtensions(), payload: $0,
                        arrival: .zero, codec: .otherVideo))
            }
        }
        let lengths = [4, 3, 2].map { ring.find($0, codec: .otherVideo)?.payload.count }
        #expect(lengths == [400, 400, nil])
    }
}
