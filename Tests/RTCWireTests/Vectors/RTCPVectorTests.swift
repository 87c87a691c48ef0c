import RTCWire
import Testing

/// RTCP of recorded sessions against what is known of them.
struct RTCPVectorTests {
    /// What the RTCP of one side adds up to, with the names that the facts use.
    private struct Tally {
        var datagrams = 0
        var malformed = 0
        var packets: [String: Int] = [:]
        var nacked: Set<UInt16> = []
        var bitrates: [UInt64] = []

        mutating func add(_ compound: RTCPCompound) {
            datagrams += 1
            malformed += compound.malformed
            for packet in compound.packets {
                packets[name(of: packet), default: 0] += 1
                if case .nack(let nack) = packet { nacked.formUnion(nack.sequenceNumbers) }
                if case .remb(let remb) = packet { bitrates.append(remb.bitrate) }
                if case .xr(let report) = packet { count(report) }
            }
        }

        private mutating func count(_ report: ExtendedReport) {
            for block in report.blocks {
                let type =
                    switch block {
                    case .receiverReferenceTime: 4
                    case .delaySinceLastReceiverReport: 5
                    case .other(let type): Int(type)
                    }
                packets["XR block \(type)", default: 0] += 1
            }
        }

        private func name(of packet: RTCPPacket) -> String {
            switch packet {
            case .senderReport: "SR"
            case .receiverReport: "RR"
            case .sdes: "SDES"
            case .bye: "BYE"
            case .nack: "NACK"
            case .pli: "PLI"
            case .fir: "FIR"
            case .transportFeedback: "TWCC"
            case .remb: "REMB"
            case .xr: "XR"
            case .unknown(let type, let count): "type \(type) count \(count)"
            }
        }
    }

    @Test(arguments: SessionFacts.names)
    func reportsAreAsRecorded(name: String) throws {
        let facts = try SessionFacts.of(name)
        var sides: [Bool: Tally] = [:]
        for datagram in try Pcap.read(facts.file)
        where withSpan(datagram.payload, { PacketKind.classify($0) }) == .rtcp {
            sides[datagram.isFromA, default: Tally()].add(try compound(datagram.payload))
        }
        compare(sides[true] ?? Tally(), facts.rtcpFromA)
        compare(sides[false] ?? Tally(), facts.rtcpFromB)
    }

    private func compare(_ tally: Tally, _ facts: SessionFacts.Control) {
        #expect(tally.datagrams == facts.datagrams && tally.malformed == 0)
        #expect(tally.packets == facts.packets)
        #expect(tally.nacked.sorted() == facts.nackedSequenceNumbers ?? [])
        #expect(tally.bitrates == facts.rembBitrates ?? [])
    }

    @Test(arguments: SessionFacts.names)
    func whatIsWrittenReadsTheSame(name: String) throws {
        let facts = try SessionFacts.of(name)
        for datagram in try Pcap.read(facts.file)
        where withSpan(datagram.payload, { PacketKind.classify($0) }) == .rtcp {
            for packet in try compound(datagram.payload).packets where packet.encodedLength != 0 {
                let bytes = written { packet.write(into: $0) }
                #expect(bytes.count == packet.encodedLength)
                #expect(try compound(bytes).packets == [packet])
            }
        }
    }
}
