import Testing

@testable import RTCWire

/// The head of every packet, RFC 3550 section 6.4.1.
@Suite struct RTCPHeaderTests {
    private func header(_ text: String, at offset: Int = 0) throws -> RTCPHeader {
        try withSpan(hex(text)) { span throws(WireError) in try RTCPHeader(parsing: span, at: offset) }
    }

    @Test func fields() throws {
        let header = try header("9fc80001 01020304")
        #expect(header.count == 31 && header.type == 200 && header.packetLength == 8 && header.paddingLength == 0)
        #expect(try self.header("ffffffff 80c90000", at: 4).type == RTCPHeader.receiverReport)
    }

    @Test func paddingIsCountedFromTheEnd() throws {
        #expect(try header("a0c90002 00000001 00000004").paddingLength == 4)
        #expect(try header("a0c90002 00000001 00000001").paddingLength == 1)
        #expect(try header("a0c90002 00000001 00000008").paddingLength == 8)
    }

    @Test(arguments: [
        ("80c900", WireError.truncated), ("80c90001 000000", .truncated), ("40c90000", .invalidVersion),
        ("c0c90000", .invalidVersion), ("a0c90001 00000000", .invalidPadding), ("a0c90001 00000005", .invalidPadding),
        ("a0c90000", .invalidPadding),
    ])
    func refusals(_ text: String, error: WireError) {
        #expect(throws: error) { try header(text) }
    }

    @Test func whatIsWrittenIsRead() throws {
        for length in [4, 8, 1024, 4 * 0x1_0000] {
            let bytes = written(length) { buffer in
                RTCPHeader.write(count: 33, type: 207, length: length, into: buffer)
                return length
            }
            let header = try withSpan(bytes) { span throws(WireError) in try RTCPHeader(parsing: span, at: 0) }
            // Five bits of count.
            #expect(header.count == 1 && header.type == 207 && header.packetLength == length)
        }
    }
}

/// RFC 3550 sections 6.4.1 and 6.4.2.
@Suite struct ReportUnitTests {
    private let block = ReportBlock(
        ssrc: 0x0102_0304, fractionLost: 0x80, cumulativeLost: -2, highestSequenceNumber: 0x0001_fffe, jitter: 7,
        lastSenderReport: 0xa1b2_c3d4, delaySinceLastSenderReport: 0x1_0000)
    private let blockBytes = "01020304 80fffffe 0001fffe 00000007 a1b2c3d4 00010000"

    @Test func aReceiverReport() throws {
        let report = ReceiverReport(ssrc: 0x0a0b_0c0d, reports: [block])
        let bytes = written { report.write(into: $0) }
        #expect(bytes == hex("81c90007 0a0b0c0d" + blockBytes) && report.encodedLength == 32)
        #expect(try compound(bytes).packets == [.receiverReport(report)])
        #expect(written { ReceiverReport(ssrc: 1).write(into: $0) } == hex("80c90001 00000001"))
    }

    @Test func aSenderReport() throws {
        let report = SenderReport(
            ssrc: 1, ntp: 0x0123_4567_89ab_cdef, rtpTimestamp: 2, packetCount: 3, octetCount: 4, reports: [block])
        let bytes = written { report.write(into: $0) }
        #expect(bytes == hex("81c8000c 00000001 01234567 89abcdef 00000002 00000003 00000004" + blockBytes))
        #expect(try compound(bytes).packets == [.senderReport(report)])
        #expect(report.compactNTP == 0x4567_89ab)
    }

    /// What follows the blocks is an extension of the profile's.
    @Test func profileExtensionsArePassedOver() throws {
        let packets = try compound(hex("80c90003 00000001 deadbeef deadbeef")).packets
        #expect(packets == [.receiverReport(ReceiverReport(ssrc: 1))])
    }

    @Test(arguments: [
        "81c90001 00000001", "81c90006 00000001 0000000000000000000000000000000000000000", "80c90000",
        "80c80005 00000001 0000000000000000 00000000 00000000",
    ])
    func blocksThatAreNotThere(_ text: String) throws {
        let read = try compound(hex(text))
        #expect(read.packets.isEmpty && read.malformed == 1)
    }

    @Test(
        arguments: [
            (0, 0), (1, 1), (-1, -1), (0x7f_ffff, 0x7f_ffff), (-0x80_0000, -0x80_0000), (Int32.max, 0x7f_ffff),
            (.min, -0x80_0000),
        ] as [(Int32, Int32)])
    func lossesAreClampedToTheirField(_ value: Int32, kept: Int32) throws {
        var changed = block
        changed.cumulativeLost = value
        let bytes = written { ReceiverReport(ssrc: 1, reports: [changed]).write(into: $0) }
        guard case .receiverReport(let report)? = try compound(bytes).packets.first else {
            Issue.record("no report")
            return
        }
        #expect(report.reports.first?.cumulativeLost == kept && report.reports.first?.fractionLost == 0x80)
    }
}

/// RFC 3550 section 6.5.
@Suite struct SourceDescriptionUnitTests {
    /// An item list ends with a zero and is filled to a whole word: four zeros where it is whole already.
    @Test(arguments: [
        ("", "81ca0002 00000001 01000000"), ("a", "81ca0002 00000001 01016100"),
        ("ab", "81ca0003 00000001 01026162 00000000"), ("abc", "81ca0003 00000001 01036162 63000000"),
    ])
    func theListEndsInAWord(_ cname: String, expected: String) throws {
        let description = SourceDescription(ssrc: 1, cname: cname)
        let bytes = written { description.write(into: $0) }
        #expect(bytes == hex(expected) && bytes.count == description.encodedLength)
        #expect(try compound(bytes).packets == [.sdes(description)])
    }

    @Test func severalChunksAndItems() throws {
        var description = SourceDescription(ssrc: 1, cname: "x", mid: "7")
        description.chunks.append(.init(ssrc: 2, items: [.init(type: 8, text: "private"), .init(type: 1, text: "ü")]))
        let bytes = written { description.write(into: $0) }
        #expect(bytes.first == 0x82)
        guard case .sdes(let read)? = try compound(bytes).packets.first else {
            Issue.record("no description")
            return
        }
        #expect(read == description && read.cname(of: 2) == "ü" && read.cname(of: 1) == "x" && read.cname(of: 3) == nil)
        #expect(read.chunks[0].items.last == .init(type: SourceDescription.Item.mid, text: "7"))
    }

    @Test func itemsHave255Bytes() throws {
        let bytes = written { SourceDescription(ssrc: 1, cname: String(repeating: "a", count: 300)).write(into: $0) }
        guard case .sdes(let read)? = try compound(bytes).packets.first else {
            Issue.record("no description")
            return
        }
        #expect(read.cname(of: 1)?.utf8.count == 255)
    }

    @Test func chunksAre31() throws {
        let many = SourceDescription(chunks: (0..<40).map { .init(ssrc: $0, items: []) })
        let bytes = written { many.write(into: $0) }
        #expect(bytes.first == 0x80 | 31 && bytes.count == 4 + 31 * 8)
        #expect(try compound(bytes).malformed == 0)
    }

    @Test(arguments: ["81ca0001 00000001", "82ca0002 00000001 00000000", "81ca0002 00000001 01ff6162", "81ca0000"])
    func whatReachesBehindTheEnd(_ text: String) throws {
        #expect(try compound(hex(text)).malformed == 1)
    }
}

/// RFC 3550 section 6.6.
@Suite struct GoodbyeUnitTests {
    @Test(arguments: [
        ([] as [UInt32], nil as String?, "80cb0000"), ([1], nil, "81cb0001 00000001"),
        ([1, 2], "bye", "82cb0003 00000001 00000002 03627965"), ([1], "", "81cb0002 00000001 00000000"),
        ([1], "late", "81cb0003 00000001 046c6174 65000000"),
    ])
    func bytes(_ sources: [UInt32], reason: String?, expected: String) throws {
        let goodbye = Goodbye(sources: sources, reason: reason)
        let bytes = written { goodbye.write(into: $0) }
        #expect(bytes == hex(expected) && bytes.count == goodbye.encodedLength)
        #expect(try compound(bytes).packets == [.bye(goodbye)])
    }

    @Test func bounds() throws {
        let many = Goodbye(sources: Array(0..<50), reason: String(repeating: "x", count: 400))
        guard case .bye(let read)? = try compound(written { many.write(into: $0) }).packets.first else {
            Issue.record("no goodbye")
            return
        }
        #expect(read.sources == Array(0..<31) && read.reason?.utf8.count == 255)
        #expect(written(10) { Goodbye(sources: [1, 2]).write(into: $0) } == [])
    }

    @Test(arguments: ["82cb0001 00000001", "81cb0002 00000001 04616263"])
    func whatIsNotThere(_ text: String) throws { #expect(try compound(hex(text)).malformed == 1) }
}

/// RFC 3611 sections 4.4 and 4.5.
@Suite struct ExtendedReportUnitTests {
    @Test func referenceTimeAndDelays() throws {
        let report = ExtendedReport(
            ssrc: 9,
            blocks: [
                .receiverReferenceTime(ntp: 0x0102_0304_0506_0708),
                .delaySinceLastReceiverReport([
                    .init(ssrc: 1, lastReceiverReport: 2, delaySinceLastReceiverReport: 3)
                ]),
            ])
        let bytes = written { report.write(into: $0) }
        #expect(
            bytes
                == hex(
                    "80cf0008 00000009 04000002 01020304 05060708 05000003 00000001 00000002 00000003"))
        #expect(try compound(bytes).packets == [.xr(report)])
    }

    /// Blocks of other types are named and not written again.
    @Test func otherBlocks() throws {
        let bytes = hex("80cf0005 00000009 01000001 deadbeef 05000000 07000000")
        guard case .xr(let report)? = try compound(bytes).packets.first else {
            Issue.record("no report")
            return
        }
        #expect(report.blocks == [.other(type: 1), .delaySinceLastReceiverReport([]), .other(type: 7)])
        #expect(written { report.write(into: $0) } == hex("80cf0002 00000009 05000000"))
    }

    @Test(arguments: [
        "80cf0002 00000009 04000001", "80cf0003 00000009 04000001 00000000", "80cf0003 00000009 05000001 00000000",
        "80cf0000", "80cf0002 00000009 01000001",
    ])
    func lengthsThatCannotBe(_ text: String) throws { #expect(try compound(hex(text)).malformed == 1) }
}

/// draft-alvestrand-rmcat-remb-03 section 2.2.
@Suite struct ReceiverEstimateUnitTests {
    @Test func bytes() throws {
        // 1,000,000 = 250,000 * 2^2.
        let estimate = ReceiverEstimatedMaximumBitrate(senderSSRC: 1, bitrate: 1_000_000, ssrcs: [2])
        let bytes = written { estimate.write(into: $0) }
        #expect(bytes == hex("8fce0005 00000001 00000000 52454d42 010bd090 00000002"))
        #expect(try compound(bytes).packets == [.remb(estimate)])
    }

    @Test func theMantissaHas18Bits() throws {
        for bits in 0..<64 {
            let bitrate = UInt64(1) << UInt64(bits) | 1
            let bytes = written {
                ReceiverEstimatedMaximumBitrate(senderSSRC: 1, bitrate: bitrate, ssrcs: []).write(into: $0)
            }
            guard case .remb(let read)? = try compound(bytes).packets.first else {
                Issue.record("no estimate")
                return
            }
            #expect(read.bitrate <= bitrate && bitrate - read.bitrate <= bitrate >> 17)
        }
    }

    @Test func whatIsNoEstimate() throws {
        // Another application's feedback, a mantissa beyond 64 bits, sources that are not there.
        #expect(try compound(hex("8fce0003 00000001 00000000 41424344")).packets == [.unknown(type: 206, count: 15)])
        #expect(try compound(hex("8fce0004 00000001 00000000 52454d42 00ffffff")).malformed == 1)
        #expect(try compound(hex("8fce0004 00000001 00000000 52454d42 01000001")).malformed == 1)
        #expect(try compound(hex("8fce0003 00000001 00000000 52454d42")).malformed == 1)
    }
}

@Suite struct NACKLengthTests {
    /// How many numbers a packet of so many bytes names.
    @Test(arguments: [(16, 17), (20, 34), (24, 50), (15, 17), (1000, 50)])
    func prefixes(limit: Int, expected: Int) {
        let numbers = (0..<50).map { UInt16($0) }
        #expect(GenericNACK.prefixLength(of: numbers[...], limit: limit) == expected)
        let part = GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: Array(numbers.prefix(expected)))
        #expect(part.encodedLength <= max(limit, 16))
    }

    @Test func scatteredNumbersTakeAWordEach() {
        let numbers = (0..<20).map { UInt16(truncatingIfNeeded: 65_000 + 100 * $0) }
        #expect(GenericNACK.prefixLength(of: numbers[...], limit: 12 + 4 * 7) == 7)
        #expect(GenericNACK.prefixLength(of: numbers[18...], limit: 1000) == 2)
        #expect(GenericNACK.prefixLength(of: [], limit: 100) == 0)
    }
}

/// draft-holmer-rmcat-transport-wide-cc-extensions-01 sections 3.1.3 and 3.1.4.
@Suite struct TransportFeedbackChunkTests {
    private func symbols(_ bits: UInt16, limit: Int = 100) throws -> [UInt8] {
        var symbols: [TransportFeedbackChunk.Symbols] = []
        try TransportFeedbackChunk(bits).append(to: &symbols, limit: limit)
        return symbols.flatMap { Array(repeating: $0.symbol.rawValue, count: $0.count) }
    }

    @Test func runs() throws {
        #expect(try symbols(0x0003) == [0, 0, 0] && symbols(0x2002) == [1, 1] && symbols(0x4001) == [2])
        #expect(try symbols(0x1fff, limit: 5) == [0, 0, 0, 0, 0])
    }

    /// The draft's own examples of vectors.
    @Test func vectors() throws {
        #expect(try symbols(0x9f1c) == [0, 1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0])
    }

    @Test func twoBitVectors() throws {
        #expect(try symbols(0xc000 | 0b00_01_10_01_00_10_00) == [0, 1, 2, 1, 0, 2, 0])
        #expect(try symbols(0xc000 | 0b00_01_10_01_00_10_00, limit: 3) == [0, 1, 2])
    }

    /// The reserved symbol, and a run of nothing.
    @Test(arguments: [0x0000, 0x2000, 0x6001, 0xc000 | 0b11 << 12, 0xc003] as [UInt16]) func refusals(_ bits: UInt16) {
        #expect(throws: WireError.invalidValue) { try symbols(bits) }
    }

    @Test func theShortestChunkIsChosen() {
        func cover(_ statuses: [TransportFeedback.Status]) -> (bits: UInt16, count: Int) {
            let (chunk, count) = TransportFeedbackChunk.covering(statuses[...])
            return (chunk.bits, count)
        }
        let small = TransportFeedback.Status.received(delta: 4)
        let large = TransportFeedback.Status.received(delta: -1)
        #expect(cover(Array(repeating: small, count: 20)) == (0x2014, 20))
        #expect(cover(Array(repeating: .lost, count: 9000)) == (0x1fff, 8191))
        #expect(cover([small, .lost, small]) == (0x8000 | 0b101 << 11, 3))
        #expect(cover([small, .lost, large, .lost]) == (0xc000 | 0b01_00_10_00 << 6, 4))
        #expect(cover([large]) == (0x4001, 1) && cover([.received(delta: 255)]) == (0x2001, 1))
        #expect(cover([.received(delta: 256)]) == (0x4001, 1))
    }
}
