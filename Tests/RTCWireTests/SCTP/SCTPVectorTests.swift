import RTCWire
import Testing

/// Everything that Chromium's dcSCTP sent is read, counted and written again, byte for byte.
struct SCTPVectorTests {
    private struct Facts: Decodable {
        struct SCTP: Decodable {
            var packets: Int
            var crc32cValid: Int
            var chunks: [String: Int]
            var dataChunksByPpid: [String: Int]
        }
        var sctp: SCTP
    }

    @Test(arguments: ["datachannel", "datachannel-loss"])
    func everyPacketIsReadAndWrittenAgain(name: String) throws {
        let facts = try VectorFiles.json("\(name).facts.json", as: Facts.self).sctp
        var chunks: [String: Int] = [:]
        var identifiers: [String: Int] = [:]
        let packets = try SCTPCapture.read("\(name).sctp.pcap")
        #expect(packets.count == facts.packets && facts.crc32cValid == facts.packets)
        for (isFromA, bytes) in packets {
            let packet = try SCTPPacket(parsing: bytes.span.bytes)
            #expect(packet.encoded == bytes)
            for chunk in packet.chunks {
                chunks["\(isFromA ? "A" : "B") \(SCTPCapture.name(chunk))", default: 0] += 1
                guard case .data(let data) = chunk else { continue }
                identifiers["\(isFromA ? "A" : "B") ppid \(data.protocolID)", default: 0] += 1
            }
        }
        #expect(chunks == facts.chunks)
        #expect(identifiers == facts.dataChunksByPpid)
    }

    @Test func announcementsSayWhatTheApplicationAskedFor() throws {
        var opens: [UInt16: DataChannelOpen] = [:]
        for (isFromA, bytes) in try SCTPCapture.read("datachannel.sctp.pcap") where isFromA {
            for case .data(let data) in try SCTPPacket(parsing: bytes.span.bytes).chunks
            where data.protocolID == DataChannelProtocolID.control && data.payload[0] == DataChannelControl.open {
                let open = try DataChannelOpen(parsing: data.payload.span.bytes)
                #expect(open.encoded == data.payload)
                opens[data.stream] = open
            }
        }
        #expect(opens.keys.sorted() == [1, 3, 5, 7])
        #expect(opens[1]?.label == Array("chat".utf8) && opens[1]?.protocolName == Array("text.v1".utf8))
        #expect(opens[5]?.isUnordered == true && opens[5]?.reliability == .retransmissions && opens[5]?.parameter == 0)
        #expect(opens[7]?.isUnordered == false && opens[7]?.reliability == .lifetime && opens[7]?.parameter == 500)
    }

    @Test func aDamagedPacketIsRefused() throws {
        for (_, bytes) in try SCTPCapture.read("datachannel.sctp.pcap").prefix(40) {
            for index in bytes.indices {
                var damaged = bytes
                damaged[index] ^= 0x10
                #expect(throws: WireError.self) { try SCTPPacket(parsing: damaged.span.bytes) }
            }
            for count in bytes.indices {
                #expect(throws: WireError.self) { try SCTPPacket(parsing: Array(bytes[..<count]).span.bytes) }
            }
        }
    }
}

/// The captures of SCTP have UDP encapsulation: A is 192.0.2.1.
enum SCTPCapture {
    static func read(_ name: String) throws -> [(isFromA: Bool, bytes: [UInt8])] {
        try Pcap.read(name).map { ($0.sourceAddress == [192, 0, 2, 1], $0.payload) }
    }

    static func name(_ chunk: SCTPChunk) -> String {
        switch chunk {
        case .data: "DATA"
        case .initiate: "INIT"
        case .initiateAck: "INIT-ACK"
        case .sack: "SACK"
        case .heartbeat: "HEARTBEAT"
        case .heartbeatAck: "HEARTBEAT-ACK"
        case .abort: "ABORT"
        case .shutdown: "SHUTDOWN"
        case .shutdownAck: "SHUTDOWN-ACK"
        case .error: "ERROR"
        case .cookieEcho: "COOKIE-ECHO"
        case .cookieAck: "COOKIE-ACK"
        case .shutdownComplete: "SHUTDOWN-COMPLETE"
        case .reconfig: "RE-CONFIG"
        case .forwardTSN: "FORWARD-TSN"
        case .unknown(let chunk): "type \(chunk.type)"
        }
    }
}
