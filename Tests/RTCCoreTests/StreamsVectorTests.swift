import RTCWire
import Testing

@testable import RTCCore
@testable import RTCSim

#if canImport(Glibc)
    import Glibc
#endif

/// Real retransmissions of Chromium, opened by our receiver: what comes out is what the network had dropped.
@Suite struct StreamsVectorTests {
    @Test(arguments: ["vp8-rtx/4044472858/2391687516", "vp8-nack/482153487/1245443628"])
    func retransmissionsEqualTheDroppedOriginals(_ session: String) throws {
        let parts = session.split(separator: "/").map(String.init)
        let (video, rtx) = (try #require(UInt32(parts[1])), try #require(UInt32(parts[2])))
        let call = try PeerCall()
        try call.connect()
        replay(parts[0], video, rtx, call)
        var recovered: [UInt16: [UInt8]] = [:]
        var delivered: Set<Int64> = []
        call.bob.node.onPacket = { packet, buffer in
            guard packet.ssrc == video else { return }
            #expect(delivered.insert(packet.sequence).inserted)
            #expect(packet.header.payloadType == 96)
            if packet.isRetransmission { recovered[packet.header.sequenceNumber] = Array(buffer[packet.payload]) }
        }
        call.simulation.run(for: .seconds(30))
        var compared = 0
        for (header, packet) in try packets(parts[0] + ".dropped.pcap") where header.ssrc == video {
            guard let repaired = recovered[header.sequenceNumber] else { continue }
            #expect(repaired == Array(packet[header.payloadRange(in: packet.count)]))
            compared += 1
        }
        #expect(compared == recovered.count)
        #expect(compared >= 4)
        let statistics = try #require(call.bob.received(video))
        #expect(statistics.recovered == compared)
    }

    /// Schedules the session's media as alice's, at its own pace.
    private func replay(_ name: String, _ video: UInt32, _ rtx: UInt32, _ call: PeerCall) {
        call.alice.node.peer.addSendStream(
            SendStreamConfiguration(
                ssrc: video, rtxSSRC: rtx, payloadType: 96, rtxPayloadType: 97, clockRate: 90_000, kind: .video,
                extensionMap: call.extensions, cache: .external))
        guard let list = try? packets(name + ".rtp.pcap") else { return }
        for (index, (header, packet)) in list.enumerated() where header.ssrc == video || header.ssrc == rtx {
            call.simulation.schedule(at: call.simulation.now + .milliseconds(10 * index)) {
                let outgoing = OutgoingRTP(
                    ssrc: header.ssrc, payloadType: header.payloadType, marker: header.marker,
                    sequenceNumber: header.sequenceNumber, timestamp: header.timestamp)
                call.pair.drive(call.alice.node) { peer, now, outbox in
                    packet.withUnsafeBytes { bytes in
                        let payload = UnsafeRawBufferPointer(rebasing: bytes[header.payloadRange(in: bytes.count)])
                        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
                        peer.forward(outgoing, prefix: empty, payload: payload, now: now, into: outbox)
                    }
                }
            }
        }
    }

    /// The RTP packets from A in a capture: classic pcap, raw IPv4 and UDP.
    private func packets(_ file: String) throws -> [(RTPHeader, [UInt8])] {
        let folder = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
        let bytes = try #require(contents("/" + folder + "/Vectors/" + file))
        var list: [(RTPHeader, [UInt8])] = []
        var offset = 24
        while offset + 16 <= bytes.count {
            let length = (0..<4).reduce(0) { $0 | Int(bytes[offset + 8 + $1]) << (8 * $1) }
            let datagram = Array(bytes[(offset + 16)..<(offset + 16 + length)])
            offset += 16 + length
            let port = Int(datagram[20]) << 8 | Int(datagram[21])
            let payload = Array(datagram[28...])
            guard port == 40_001, payload.count > 12, !(192...223).contains(payload[1]) else { continue }
            let header = payload.withUnsafeBytes { try? RTPHeader(parsing: $0.bytes) }
            if let header { list.append((header, payload)) }
        }
        return list
    }

    private func contents(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { return bytes }
            bytes += chunk[..<count]
        }
    }
}
