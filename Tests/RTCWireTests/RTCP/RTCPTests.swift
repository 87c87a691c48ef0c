import RTCWire
import Testing

struct RTCPCompoundTests {
    private let receiverReport = "80 c9 0001 00000001"
    private let pli = "81 ce 0002 00000001 00000002"

    @Test func reducedSizeAndUnknownTypes() throws {
        #expect(try compound(hex(pli)).packets == [.pli(PictureLossIndication(senderSSRC: 1, mediaSSRC: 2))])
        let mixed = try compound(hex("\(receiverReport) 83 d0 0001 12345678 85 cd 0001 00000000 \(pli)"))
        #expect(mixed.packets.count == 4 && mixed.malformed == 0)
        #expect(mixed.packets[1] == .unknown(type: 208, count: 3))
        #expect(mixed.packets[2] == .unknown(type: 205, count: 5))
    }

    @Test func paddingIsLeftOut() throws {
        let padded = try compound(hex("a1 ce 0003 00000001 00000002 00000004"))
        #expect(padded.packets == [.pli(PictureLossIndication(senderSSRC: 1, mediaSSRC: 2))])
        #expect(throws: WireError.invalidPadding) { try compound(hex("a1 ce 0002 00000001 00000000")) }
        #expect(throws: WireError.invalidPadding) { try compound(hex("a1 ce 0002 00000001 0000000c")) }
        #expect(throws: WireError.invalidPadding) { try compound(hex("a1 ce 0000")) }
    }

    @Test func brokenFramesAreRefused() {
        #expect(throws: WireError.truncated) { try compound([]) }
        #expect(throws: WireError.truncated) { try compound(hex("81 ce 0002 00000001")) }
        #expect(throws: WireError.truncated) { try compound(hex("\(pli) 81 ce")) }
        #expect(throws: WireError.invalidVersion) { try compound(hex("41 ce 0002 00000001 00000002")) }
    }

    @Test func malformedContentIsCountedAndSkipped() throws {
        let read = try compound(hex("9f c9 0001 00000001 \(pli)"))
        #expect(read.malformed == 1 && read.packets.count == 1)
    }

    @Test func writesACompound() throws {
        let packets: [RTCPPacket] = [
            .receiverReport(ReceiverReport(ssrc: 1)), .sdes(SourceDescription(ssrc: 1, cname: "c")),
            .bye(Goodbye(sources: [1])),
        ]
        let bytes = written { RTCPCompound.write(packets, into: $0) }
        #expect(bytes == hex("80c90001 00000001 81ca0002 00000001 01016300 81cb0001 00000001"))
        #expect(try compound(bytes).packets == packets)
        #expect(written(bytes.count - 1) { RTCPCompound.write(packets, into: $0) } == [])
    }
}

struct ReportTests {
    private let block = ReportBlock(
        ssrc: 0x0102_0304, fractionLost: 64, cumulativeLost: -2, highestSequenceNumber: 0x0001_ffff, jitter: 7,
        lastSenderReport: 0x1122_3344, delaySinceLastSenderReport: 0x0001_0000)
    private let blockBytes = "01020304 40 fffffe 0001ffff 00000007 11223344 00010000"

    @Test func senderReport() throws {
        let report = SenderReport(
            ssrc: 5, ntp: 0xe000_0001_8000_0002, rtpTimestamp: 9, packetCount: 10, octetCount: 11, reports: [block])
        let bytes = written { report.write(into: $0) }
        #expect(bytes == hex("81c8000c 00000005 e0000001 80000002 00000009 0000000a 0000000b \(blockBytes)"))
        #expect(try compound(bytes).packets == [.senderReport(report)] && report.compactNTP == 0x0001_8000)
    }

    @Test func receiverReport() throws {
        let report = ReceiverReport(ssrc: 5, reports: [block, block])
        let bytes = written { report.write(into: $0) }
        #expect(bytes == hex("82c9000d 00000005 \(blockBytes) \(blockBytes)"))
        #expect(try compound(bytes).packets == [.receiverReport(report)])
    }

    @Test func atMost31Blocks() throws {
        let report = ReceiverReport(ssrc: 5, reports: Array(repeating: block, count: 40))
        let bytes = written { report.write(into: $0) }
        #expect(
            try compound(bytes).packets == [
                .receiverReport(ReceiverReport(ssrc: 5, reports: Array(repeating: block, count: 31)))
            ])
    }

    @Test(arguments: [(0x80_0000, 0x7f_ffff), (-0x80_0001, -0x80_0000)] as [(Int32, Int32)])
    func cumulativeLossIsClamped(given: Int32, written expected: Int32) throws {
        var clamped = block
        clamped.cumulativeLost = given
        let bytes = written { ReceiverReport(ssrc: 1, reports: [clamped]).write(into: $0) }
        guard case .receiverReport(let report) = try compound(bytes).packets[0] else { return #expect(Bool(false)) }
        #expect(report.reports[0].cumulativeLost == expected)
    }
}

struct SourceDescriptionTests {
    @Test(arguments: 0...9)
    func textOfEveryAlignment(count: Int) throws {
        let description = SourceDescription(chunks: [
            .init(ssrc: 1, items: [.init(type: 1, text: String(repeating: "x", count: count))]),
            .init(ssrc: 2, items: [.init(type: 2, text: "name"), .init(type: 1, text: "c2")]),
            .init(ssrc: 3, items: []),
        ])
        let bytes = written { description.write(into: $0) }
        #expect(bytes.count == description.encodedLength && bytes.count % 4 == 0)
        #expect(try compound(bytes).packets == [.sdes(description)])
        #expect(description.cname(of: 2) == "c2" && description.cname(of: 3) == nil)
    }

    @Test func longTextIsCut() throws {
        let bytes = written { SourceDescription(ssrc: 1, cname: String(repeating: "x", count: 300)).write(into: $0) }
        guard case .sdes(let read) = try compound(bytes).packets[0] else { return #expect(Bool(false)) }
        #expect(read.cname(of: 1)?.count == 255)
    }

    @Test func runsBehindItsEndAreRefused() throws {
        for text in ["81ca0002 00000001 01ff6300", "81ca0001 00000001", "82ca0002 00000001 01016300"] {
            #expect(try compound(hex(text)).malformed == 1)
        }
    }
}

struct GoodbyeTests {
    @Test func withAndWithoutReason() throws {
        for goodbye in [Goodbye(sources: [1, 2]), Goodbye(sources: [1], reason: "leaving"), Goodbye(sources: [])] {
            let bytes = written { goodbye.write(into: $0) }
            #expect(try compound(bytes).packets == [.bye(goodbye)])
        }
        #expect(try compound(hex("81cb0002 00000001 09626164")).malformed == 1)
        #expect(try compound(hex("82cb0001 00000001")).malformed == 1)
    }
}
