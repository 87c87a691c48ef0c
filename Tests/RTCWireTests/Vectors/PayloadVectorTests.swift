import RTCWire
import Testing

/// VP8, Opus and RTX payloads of recorded sessions against what is known of them.
struct PayloadVectorTests {
    private struct Packet {
        var bytes: [UInt8]
        var header: RTPHeader
        var payload: [UInt8] { Array(bytes[header.payloadRange(in: bytes.count)]) }
    }

    private func packets(_ file: String) throws -> [Packet] {
        try Pcap.read(file).filter { datagram in withSpan(datagram.payload) { PacketKind.classify($0) } == .rtp }
            .map { Packet(bytes: $0.payload, header: try rtpHeader($0.payload)) }
    }

    @Test(arguments: ["vp8-nack", "vp8-remb", "vp8-rtx", "vp8-simulcast"])
    func keyFrames(name: String) throws {
        let facts = try SessionFacts.of(name)
        let all = try packets(facts.file)
        for (ssrc, stream) in facts.rtp where stream.keyFrameTimestamps != nil {
            var found: [UInt32] = []
            for packet in all where packet.header.ssrc == UInt32(ssrc) {
                let payload = packet.payload
                let descriptor = try vp8Descriptor(payload)
                #expect(written { descriptor.write(into: $0) } == Array(payload.prefix(descriptor.encodedLength)))
                guard withSpan(payload, { descriptor.startsKeyFrame(in: $0) }) else { continue }
                found.append(packet.header.timestamp)
                let frame = Array(payload.dropFirst(descriptor.encodedLength))
                let header = try withSpan(frame) { span throws(WireError) in try VP8FrameHeader(parsing: span) }
                #expect(header.isKeyFrame && header.isShown && header.width * 9 == header.height * 16)
            }
            #expect(found == stream.keyFrameTimestamps && found.count == stream.keyFrames)
        }
    }

    @Test(arguments: ["vp8-nack", "vp8-remb", "vp8-rtx"])
    func pictureNumbersCountFrames(name: String) throws {
        let facts = try SessionFacts.of(name)
        let all = try packets(facts.file) + packets("\(name).dropped.pcap")
        for (ssrc, stream) in facts.rtp where stream.keyFrames != nil {
            let sent = all.filter { $0.header.ssrc == UInt32(ssrc) }
                .sorted { $1.header.sequenceNumber.isNewer(than: $0.header.sequenceNumber) }
            var previous: (timestamp: UInt32, pictureID: UInt16)?
            for packet in sent {
                let descriptor = try vp8Descriptor(packet.payload)
                let pictureID = try #require(descriptor.pictureID)
                #expect(descriptor.pictureIDWidth == .fifteenBits)
                if let previous {
                    let step: UInt16 = previous.timestamp == packet.header.timestamp ? 0 : 1
                    #expect(pictureID == (previous.pictureID &+ step) & 0x7fff)
                }
                previous = (packet.header.timestamp, pictureID)
            }
        }
    }

    @Test(arguments: ["opus-dtx", "vp8-rtx"])
    func opusLastsAsLongAsItsTimestampsSay(name: String) throws {
        let facts = try SessionFacts.of(name)
        var previous: (header: RTPHeader, samples: Int)?
        var silent = 0
        for packet in try packets(facts.file) where packet.header.payloadType == 111 {
            let payload = packet.payload
            guard !payload.isEmpty else { continue }
            let opus = try opusPayload(payload)
            #expect(opus.samples == 960 && opus.frameCount == 1)
            silent += opus.isDTX ? 1 : 0
            if let previous, packet.header.sequenceNumber == previous.header.sequenceNumber &+ 1,
                !packet.header.marker, !opus.isDTX
            {
                #expect(packet.header.timestamp &- previous.header.timestamp == UInt32(previous.samples))
            }
            previous = (packet.header, opus.samples)
        }
        #expect(silent > 0)
    }

    @Test func redAndEmptyPayloadsDoNotTrapTheOpusReader() throws {
        let facts = try SessionFacts.of("opus-red-dtmf")
        var empty = 0
        for packet in try packets(facts.file) where packet.payload.isEmpty {
            empty += 1
            #expect(throws: WireError.truncated) { try opusPayload(packet.payload) }
        }
        #expect(empty == 20)
    }

    @Test(arguments: [("vp8-nack", 97 as UInt8, 96 as UInt8), ("vp8-remb", 97, 96), ("vp8-rtx", 97, 96)])
    func retransmissionsRestoreTheirOriginals(name: String, rtx: UInt8, original: UInt8) throws {
        let facts = try SessionFacts.of(name)
        let repair = try #require(facts.rtx)
        let all = try packets(facts.file)
        let dropped = try packets("\(name).dropped.pcap")
        let media = try #require(all.first { $0.header.payloadType == original }).header.ssrc
        var originals: [UInt16: Packet] = [:]
        for packet in all + dropped where packet.header.payloadType == original {
            originals[packet.header.sequenceNumber] = packet
        }
        var found: [UInt16: UInt16] = [:]
        for packet in all where packet.header.payloadType == rtx {
            let restored = withSpan(packet.bytes) {
                RTX.restore(packet.header, in: $0, ssrc: media, payloadType: original)
            }
            guard let restored else {
                #expect(packet.payload.isEmpty)
                continue
            }
            found[packet.header.sequenceNumber] = restored.sequenceNumber
            let wanted = try #require(originals[restored.sequenceNumber])
            #expect(restored.timestamp == wanted.header.timestamp && restored.marker == wanted.header.marker)
            #expect(Array(packet.bytes[restored.payloadRange(in: packet.bytes.count)]) == wanted.payload)
        }
        #expect(found.count == repair.retransmissionsWithPayload)
        #expect(found == Dictionary(uniqueKeysWithValues: repair.list.map { ($0.rtxSeq, $0.originalSeq) }))
    }
}
