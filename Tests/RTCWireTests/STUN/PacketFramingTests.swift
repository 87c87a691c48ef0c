import RTCWire
import Testing

/// The framing of packets on streams, RFC 4571 section 2.
@Suite struct PacketFramingTests {
    private struct Outcome: Equatable {
        var packets: [[UInt8]] = []
        var kept = 0
        var error: WireError?
    }

    /// What comes of pieces that are read one after another.
    private func cut(_ pieces: [[UInt8]], maximum: Int = 2048) -> Outcome {
        var unframer = PacketUnframer(maximumPacket: maximum)
        var result = Outcome()
        for piece in pieces {
            var memory = [UInt8](repeating: 0, count: unframer.capacity + piece.count)
            memory.withUnsafeMutableBytes { memory in
                let kept = unframer.restore(into: memory)
                UnsafeMutableRawBufferPointer(rebasing: memory[kept...]).copyBytes(from: piece)
                let read = UnsafeMutableRawBufferPointer(rebasing: memory[..<(kept + piece.count)])
                do throws(WireError) { try unframer.cut(read) { result.packets.append(Array($0)) } } catch {
                    result.error = error
                }
            }
        }
        result.kept = unframer.keptCount
        return result
    }

    @Test(
        arguments: [
            ("", [], 0), ("00", [], 1), ("0003 aabb", [], 4), ("0003 aabbcc", ["aabbcc"], 0),
            ("0001 01 0002 0203", ["01", "0203"], 0), ("0001 01 0002 02", ["01"], 3), ("0000 0000 0001 07", ["07"], 0),
        ] as [(String, [String], Int)])
    func packets(_ stream: String, expected: [String], kept: Int) {
        #expect(cut([hex(stream)]) == Outcome(packets: expected.map { hex($0) }, kept: kept))
    }

    /// Wherever the stream is cut, the packets are the same.
    @Test func everyCutGivesTheSamePackets() {
        let packets = [hex("0001"), hex("80"), [UInt8](repeating: 7, count: 500), hex("16fe ff"), hex("00")]
        let stream = packets.flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xff)] + $0 }
        for place in 0...stream.count {
            let outcome = cut([Array(stream[..<place]), Array(stream[place...])])
            #expect(outcome == Outcome(packets: packets))
        }
        #expect(cut(stream.map { [$0] }) == Outcome(packets: packets))
    }

    /// The longest packet passes; one byte more ends the stream, and what came before it counts.
    @Test func theBoundHolds() {
        let whole = hex("0004 01020304")
        #expect(cut([whole], maximum: 4).packets == [hex("01020304")])
        #expect(cut([whole + hex("0005 0102030405")], maximum: 4).packets == [hex("01020304")])
        #expect(cut([hex("0005")], maximum: 4).error == .invalidLength)
        // What a web browser says first: no stream of packets.
        #expect(cut([Array("GET / HTTP/1.1\r\n\r\n".utf8)]).error == .invalidLength)
    }

    /// A packet that never ends costs its own length and no more.
    @Test func whatIsKeptIsBounded() {
        var unframer = PacketUnframer(maximumPacket: 100)
        #expect(unframer.capacity == 101)
        var bytes = hex("0064") + [UInt8](repeating: 1, count: 99)
        let isCut = bytes.withUnsafeMutableBytes { bytes in (try? unframer.cut(bytes) { _ in }) != nil }
        #expect(isCut && unframer.keptCount == 101)
        // Whoever allows nothing is given the least that can be framed.
        #expect(PacketUnframer(maximumPacket: 0).maximumPacket == 1)
        #expect(PacketUnframer(maximumPacket: 1 << 20).maximumPacket == 0xffff)
    }
}
