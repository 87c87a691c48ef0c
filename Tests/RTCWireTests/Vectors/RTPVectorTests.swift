import RTCWire
import Testing

/// RTP of recorded sessions against what is known of them.
struct RTPVectorTests {
    /// What the packets of one SSRC add up to.
    private struct Tally {
        var packets = 0
        var payloadTypes: [UInt8: Int] = [:]
        var sequenceNumbers: [Int64] = []
        var timestamps: [UInt32] = []
        var markers = 0
        var payloadBytes = 0
        var paddingOnly = 0
        var elements: [String: Int] = [:]
        var rids: Set<String> = []
        private var unwrapper = SequenceUnwrapper()

        mutating func add(_ packet: [UInt8], _ header: RTPHeader, _ map: RTPExtensionMap) {
            let payload = header.payloadRange(in: packet.count)
            packets += 1
            payloadTypes[header.payloadType, default: 0] += 1
            sequenceNumbers.append(unwrapper.unwrap(header.sequenceNumber))
            timestamps.append(header.timestamp)
            markers += header.marker ? 1 : 0
            payloadBytes += payload.count
            paddingOnly += header.hasPadding && payload.isEmpty ? 1 : 0
            withSpan(packet) { count(header, $0, map) }
        }

        private mutating func count(_ header: RTPHeader, _ bytes: RawSpan, _ map: RTPExtensionMap) {
            guard header.extensionOffset != 0 else { return }
            elements["profile 0x" + String(header.extensionProfile, radix: 16), default: 0] += 1
            var walk = RTPExtensionElements(header)
            while let element = walk.next(in: bytes) { elements[String(element.id), default: 0] += 1 }
            let values = RTPExtensions(parsing: bytes, header: header, map: map)
            if let rid = values.rid ?? values.repairedRid { rids.insert(rid.description) }
        }
    }

    @Test(arguments: SessionFacts.names)
    func streamsAreAsRecorded(name: String) throws {
        let facts = try SessionFacts.of(name)
        let map = RTPExtensionMap(
            facts.offerExtmap.compactMap { id, uris in
                guard let id = UInt8(id), let kind = RTPExtensionKind(uri: uris.first ?? "") else { return nil }
                return (id, kind)
            })
        var tallies: [UInt32: Tally] = [:]
        let datagrams = try Pcap.read(facts.file)
        #expect(datagrams.count == facts.datagrams)
        for datagram in datagrams where withSpan(datagram.payload, { PacketKind.classify($0) }) == .rtp {
            let header = try rtpHeader(datagram.payload)
            tallies[header.ssrc, default: Tally()].add(datagram.payload, header, map)
        }
        #expect(tallies.count == facts.rtp.count)
        for (ssrc, stream) in facts.rtp {
            let tally = try #require(UInt32(ssrc).flatMap { tallies[$0] }, "SSRC \(ssrc)")
            Self.compare(tally, stream)
        }
    }

    private static func compare(_ tally: Tally, _ stream: SessionFacts.Stream) {
        #expect(tally.packets == stream.packets)
        #expect(Set(tally.payloadTypes.keys.map(String.init)) == Set(stream.payloadTypes.keys))
        for (type, text) in stream.payloadTypes {
            #expect(text.hasSuffix(": \(tally.payloadTypes[UInt8(type) ?? 0] ?? 0) packets"))
        }
        let first = tally.sequenceNumbers.min() ?? 0
        let last = tally.sequenceNumbers.max() ?? 0
        let seen = Set(tally.sequenceNumbers)
        #expect(UInt16(truncatingIfNeeded: first) == stream.firstSeq)
        #expect(UInt16(truncatingIfNeeded: last) == stream.lastSeq)
        #expect(seen.count == stream.distinctSeqs)
        #expect(
            (first...last).filter { !seen.contains($0) }.map { UInt16(truncatingIfNeeded: $0) } == stream.missingSeqs)
        #expect(tally.timestamps.first == stream.firstTimestamp && tally.timestamps.last == stream.lastTimestamp)
        #expect(Set(tally.timestamps).count == stream.distinctTimestamps)
        #expect(tally.markers == stream.markers && tally.paddingOnly == stream.paddingOnlyPackets)
        #expect(tally.payloadBytes == stream.payloadBytesWithoutPadding)
        #expect(tally.rids == Set(stream.ridsSeen ?? []))
        #expect(tally.elements == stream.headerExtensions.mapValues(\.value))
    }
}
