import RTCWire
import Testing

struct TransportFeedbackTests {
    private func feedback(_ statuses: [TransportFeedback.Status], base: UInt16 = 16) -> TransportFeedback {
        TransportFeedback(
            senderSSRC: 1, mediaSSRC: 2, baseSequenceNumber: base, referenceTime: -2, feedbackCount: 7,
            statuses: statuses)
    }

    private func read(_ text: String) throws -> TransportFeedback? {
        guard case .transportFeedback(let feedback)? = try compound(hex(text)).packets.first else { return nil }
        return feedback
    }

    @Test func readsEveryKindOfChunk() throws {
        // A run of two small deltas; 14 symbols of one bit, the first received; 7 of two bits: large, lost, small, lost.
        let read = try #require(
            try read("8fcd0007000000010000000200100017fffffe072002a000e10001ff03800104"))
        #expect(read.senderSSRC == 1 && read.mediaSSRC == 2 && read.baseSequenceNumber == 16)
        #expect(read.referenceTime == -2 && read.feedbackCount == 7)
        let came: [Int: Int16] = [0: 1, 1: 255, 2: 3, 16: -32767, 18: 4]
        #expect(read.statuses.count == 23)
        for (index, status) in read.statuses.enumerated() {
            #expect(status == came[index].map { .received(delta: $0) } ?? .lost)
        }
    }

    @Test func readsAVectorOfOneBitSymbols() throws {
        // 10 1100 0000 0000 01: numbers 0, 1 and 13 of the vector came.
        let statuses = try #require(try read("afcd000600000001000000020010000efffffe07b001010203000003")?.statuses)
        #expect(statuses.count == 14 && statuses[0] == .received(delta: 1) && statuses[1] == .received(delta: 2))
        #expect(statuses[13] == .received(delta: 3) && statuses.filter { $0 == .lost }.count == 11)
    }

    @Test func readsAVectorOfTwoBitSymbols() throws {
        // 11 01 10 00 00 00 00 01: small, large, four lost, one more small.
        let statuses = try #require(
            try read("afcd0006000000010000000200100007fffffe07d80105fffe060002")?
                .statuses)
        #expect(
            statuses == [.received(delta: 5), .received(delta: -2), .lost, .lost, .lost, .lost, .received(delta: 6)])
    }

    @Test func filledVectorsEndWithTheCount() throws {
        let statuses = try #require(try read("8fcd00050000000100000002ffff0002fffffe07bfff0102")?.statuses)
        #expect(statuses == [.received(delta: 1), .received(delta: 2)])
    }

    @Test func writesWhatLibwebrtcWouldRead() {
        let bytes = written { feedback([.received(delta: 1), .lost, .received(delta: 300)]).write(into: $0) }
        // 11 01 00 10 ...: one chunk of two-bit symbols, a delta of one byte, one of two, three bytes of padding.
        #expect(bytes == hex("afcd0006000000010000000200100003fffffe07d20001012c000003"))
    }

    @Test func runsShareOneChunk() {
        let many = feedback(Array(repeating: .lost, count: 8191) + [.received(delta: 0)])
        #expect(many.encodedLength == 28)
        let small = feedback(Array(repeating: .received(delta: 9), count: 100))
        #expect(small.encodedLength == (20 + 2 + 100 + 3) & ~3)
    }

    @Test func anyListGoesRound() throws {
        var generator = SeededGenerator(seed: 15)
        for round in 0..<400 {
            let count = Int.random(in: 1...(round % 40 == 0 ? 9_000 : 90), using: &generator)
            let kinds = Int.random(in: 1...3, using: &generator)
            let sticky = Int.random(in: 1...30, using: &generator)
            var kind = 0
            let statuses = (0..<count).map { _ -> TransportFeedback.Status in
                if Int.random(in: 0..<sticky, using: &generator) == 0 {
                    kind = Int.random(in: 0..<kinds, using: &generator)
                }
                switch kind {
                case 0: return .lost
                case 1: return .received(delta: Int16.random(in: 0...255, using: &generator))
                default: return .received(delta: Int16.random(in: .min ... .max, using: &generator))
                }
            }
            let packet = feedback(statuses, base: .random(in: 0 ... .max, using: &generator))
            let bytes = written(65_536) { packet.write(into: $0) }
            #expect(bytes.count == packet.encodedLength && bytes.count % 4 == 0)
            #expect(try compound(bytes).packets == [.transportFeedback(packet)])
        }
    }

    @Test(arguments: [
        // No chunk; a chunk short; a delta short; the reserved symbol; a run of nothing.
        "8fcd0004 00000001 00000002 00100003 fffffe07", "8fcd0005 00000001 00000002 0010fff0 fffffe07 20012001",
        "8fcd0005 00000001 00000002 00100003 fffffe07 2003 0102",
        "8fcd0005 00000001 00000002 00100001 fffffe07 60010000",
        "8fcd0005 00000001 00000002 00100001 fffffe07 20000000", "8fcd0003 00000001 00000002 00100003",
    ])
    func malformedOnesAreCounted(_ text: String) throws {
        let read = try compound(hex(text))
        #expect(read.malformed == 1 && read.packets.isEmpty)
    }

    /// 8,191 losses take two bytes on the wire, and no more of ours.
    @Test func runsOfLossesCostWhatTheirChunksDo() throws {
        let text = "8fcd000800000001000000020010fff8fffffe07" + String(repeating: "1fff", count: 8)
        let packet = hex(text)
        let datagram = Array(repeatElement(packet, count: 38).joined())
        #expect(datagram.count == 1368)
        let read = try compound(datagram)
        #expect(read.packets.count == 38 && read.malformed == 0)
        for case .transportFeedback(let feedback) in read.packets {
            #expect(feedback.runs == [.lost(count: 65_528)])
        }
    }

    @Test func lossesInARowAreOneRun() throws {
        // A run of two losses, then a vector of one-bit symbols: two more, one that came, one loss; three bytes of padding.
        let read = try #require(try read("afcd000600000001000000020010000600000007 0002 8800 05000003"))
        #expect(read.runs == [.lost(count: 4), .received(delta: 5), .lost(count: 1)])
        #expect(read.statuses == [.lost, .lost, .lost, .lost, .received(delta: 5), .lost])
    }

    @Test func nothingIsNotWritten() {
        #expect(written { feedback([]).write(into: $0) } == [])
        #expect(written { feedback([.lost]).write(into: UnsafeMutableRawBufferPointer(rebasing: $0[..<20])) } == [])
    }
}
