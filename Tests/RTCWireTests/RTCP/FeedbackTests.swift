import RTCWire
import Testing

struct GenericNACKTests {
    @Test func bitmaskOrderAndWrap() throws {
        let read = try compound(hex("81cd0003 00000001 00000002 fffe8005")).packets
        #expect(
            read == [
                .nack(GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: [0xfffe, 0xffff, 1, 14]))
            ])
    }

    @Test func packsSeventeenNumbersInAWord() {
        let nack = GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: (0...17).map { 65530 &+ $0 })
        #expect(written { nack.write(into: $0) } == hex("81cd0004 00000001 00000002 fffaffff 000b0000"))
    }

    @Test func anyListGoesRound() throws {
        var generator = SeededGenerator(seed: 4585)
        for _ in 0..<500 {
            let count = Int.random(in: 1...40, using: &generator)
            let spread: UInt16 = Bool.random(using: &generator) ? 60 : .max
            let start = UInt16.random(in: 0 ... .max, using: &generator)
            let numbers = Set((0..<count).map { _ in start &+ UInt16.random(in: 0...spread, using: &generator) })
            let nack = GenericNACK(
                senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: numbers.sorted { $0 &- start < $1 &- start })
            let bytes = written { nack.write(into: $0) }
            #expect(bytes.count == nack.encodedLength)
            #expect(try compound(bytes).packets == [.nack(nack)])
        }
    }

    @Test func nothingNamedIsNotWritten() {
        #expect(written { GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: []).write(into: $0) } == [])
    }
}

struct FeedbackTests {
    @Test func pictureLossIndication() throws {
        let bytes = written { PictureLossIndication(senderSSRC: 1, mediaSSRC: 2).write(into: $0) }
        #expect(bytes == hex("81ce0002 00000001 00000002"))
    }

    @Test func fullIntraRequest() throws {
        let request = FullIntraRequest(
            senderSSRC: 1, entries: [.init(ssrc: 2, sequenceNumber: 3), .init(ssrc: 4, sequenceNumber: 255)])
        let bytes = written { request.write(into: $0) }
        #expect(bytes == hex("84ce0006 00000001 00000000 00000002 03000000 00000004 ff000000"))
        #expect(try compound(bytes).packets == [.fir(request)])
        #expect(try compound(hex("84ce0002 00000001 00000000")).malformed == 1)
    }

    @Test func receiverEstimatedMaximumBitrate() throws {
        for (bitrate, kept) in [
            (0, 0), (1, 1), (0x3_ffff, 0x3_ffff), (1_000_001, 1_000_000), (.max, 0xffff_c000_0000_0000),
        ] as [(UInt64, UInt64)] {
            let bytes = written {
                ReceiverEstimatedMaximumBitrate(senderSSRC: 1, bitrate: bitrate, ssrcs: [2, 3]).write(into: $0)
            }
            #expect(
                try compound(bytes).packets == [
                    .remb(ReceiverEstimatedMaximumBitrate(senderSSRC: 1, bitrate: kept, ssrcs: [2, 3]))
                ])
        }
        #expect(try compound(hex("8fce0004 00000001 00000000 52454d42 00ffffff")).malformed == 1)
        #expect(try compound(hex("8fce0004 00000001 00000000 52454d42 01000001")).malformed == 1)
        #expect(try compound(hex("8fce0003 00000001 00000000 41424344")).packets == [.unknown(type: 206, count: 15)])
    }

    @Test func extendedReport() throws {
        let report = ExtendedReport(
            ssrc: 1,
            blocks: [
                .receiverReferenceTime(ntp: 0x0102_0304_0506_0708),
                .delaySinceLastReceiverReport([
                    .init(ssrc: 2, lastReceiverReport: 3, delaySinceLastReceiverReport: 4),
                    .init(ssrc: 5, lastReceiverReport: 6, delaySinceLastReceiverReport: 7),
                ]),
            ])
        let bytes = written { report.write(into: $0) }
        #expect(bytes.count == report.encodedLength && bytes.prefix(12) == hex("80cf000b 00000001 04000002")[...])
        #expect(try compound(bytes).packets == [.xr(report)])
        #expect(try compound(hex("80cf0002 00000001 04000001")).malformed == 1)
        #expect(try compound(hex("80cf0003 00000001 05000001 00000000")).malformed == 1)
        #expect(
            try compound(hex("80cf0002 00000001 07000000")).packets == [
                .xr(ExtendedReport(ssrc: 1, blocks: [.other(type: 7)]))
            ])
    }

    @Test func buffersTooSmallStayUntouched() {
        let packets: [RTCPPacket] = [
            .senderReport(SenderReport(ssrc: 1, ntp: 2, rtpTimestamp: 3, packetCount: 4, octetCount: 5)),
            .receiverReport(ReceiverReport(ssrc: 1)), .sdes(SourceDescription(ssrc: 1, cname: "abc")),
            .bye(Goodbye(sources: [1], reason: "x")), .pli(PictureLossIndication(senderSSRC: 1, mediaSSRC: 2)),
            .nack(GenericNACK(senderSSRC: 1, mediaSSRC: 2, sequenceNumbers: [3])),
            .fir(FullIntraRequest(senderSSRC: 1, entries: [.init(ssrc: 2, sequenceNumber: 3)])),
            .remb(ReceiverEstimatedMaximumBitrate(senderSSRC: 1, bitrate: 2, ssrcs: [3])),
            .xr(ExtendedReport(ssrc: 1, blocks: [.receiverReferenceTime(ntp: 2)])),
        ]
        for packet in packets {
            for capacity in 0..<packet.encodedLength {
                var memory = [UInt8](repeating: 0xaa, count: capacity)
                let length = memory.withUnsafeMutableBytes { packet.write(into: $0) }
                #expect(length == 0 && memory.allSatisfy { $0 == 0xaa })
            }
        }
    }
}
