/// Extended report, RFC 3611 section 2, with the two blocks that give a receiver its round-trip time (section 4.4, 4.5).
///
/// ```
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |V=2|P|reserved |   PT=XR=207   |             length            |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |                              SSRC                             |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |      BT       | type-specific |  block length in words        |  any number
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct ExtendedReport: Hashable, Sendable {
    /// What one receiver last heard: SSRC, its LRR and DLRR as in a report block.
    package struct Delay: Hashable, Sendable {
        package var ssrc: UInt32
        /// The middle 32 bits of the receiver reference time, 0 before the first.
        package var lastReceiverReport: UInt32
        /// In 1/65536 s.
        package var delaySinceLastReceiverReport: UInt32

        package init(ssrc: UInt32, lastReceiverReport: UInt32, delaySinceLastReceiverReport: UInt32) {
            self.ssrc = ssrc
            self.lastReceiverReport = lastReceiverReport
            self.delaySinceLastReceiverReport = delaySinceLastReceiverReport
        }
    }

    package enum Block: Hashable, Sendable {
        /// Block type 4: the receiver's NTP time, section 4.4.
        case receiverReferenceTime(ntp: UInt64)
        /// Block type 5, section 4.5.
        case delaySinceLastReceiverReport([Delay])
        /// Another block type; not written.
        case other(type: UInt8)

        fileprivate var encodedLength: Int {
            switch self {
            case .receiverReferenceTime: 12
            case .delaySinceLastReceiverReport(let delays): 4 + 12 * delays.count
            case .other: 0
            }
        }
    }

    package var ssrc: UInt32
    package var blocks: [Block]

    package init(ssrc: UInt32, blocks: [Block]) {
        self.ssrc = ssrc
        self.blocks = blocks
    }

    init(parsing packet: RawSpan) throws(WireError) {
        guard packet.byteCount >= 8 else { throw .truncated }
        self.init(ssrc: packet.uint32(4), blocks: [])
        var offset = 8
        while offset < packet.byteCount {
            guard packet.byteCount >= offset + 4 else { throw .truncated }
            let length = 4 + 4 * Int(packet.uint16(offset + 2))
            guard packet.byteCount >= offset + length else { throw .truncated }
            blocks.append(try ExtendedReport.block(packet.extracting(offset..<(offset + length))))
            offset += length
        }
    }

    private static func block(_ bytes: RawSpan) throws(WireError) -> Block {
        switch bytes.byte(0) {
        case 4:
            guard bytes.byteCount == 12 else { throw .invalidLength }
            return .receiverReferenceTime(ntp: bytes.uint64(4))
        case 5:
            guard (bytes.byteCount - 4) % 12 == 0 else { throw .invalidLength }
            var delays: [Delay] = []
            for at in stride(from: 4, to: bytes.byteCount, by: 12) {
                delays.append(
                    Delay(
                        ssrc: bytes.uint32(at), lastReceiverReport: bytes.uint32(at + 4),
                        delaySinceLastReceiverReport: bytes.uint32(at + 8)))
            }
            return .delaySinceLastReceiverReport(delays)
        case let type: return .other(type: type)
        }
    }

    /// Length in bytes when written.
    package var encodedLength: Int { blocks.reduce(8) { $0 + $1.encodedLength } }

    /// Writes the packet and gives its length; 0, writing nothing, where `buffer` is too small.
    package func write(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let length = encodedLength
        guard buffer.count >= length, length <= 4 * 0x1_0000 else { return 0 }
        RTCPHeader.write(count: 0, type: RTCPHeader.extendedReport, length: length, into: buffer)
        buffer.store(ssrc, at: 4)
        var offset = 8
        for block in blocks {
            ExtendedReport.write(block, into: buffer, at: offset)
            offset += block.encodedLength
        }
        return length
    }

    private static func write(_ block: Block, into buffer: UnsafeMutableRawBufferPointer, at offset: Int) {
        switch block {
        case .receiverReferenceTime(let ntp):
            buffer.store(UInt32(0x0400_0002), at: offset)
            buffer.store(ntp, at: offset + 4)
        case .delaySinceLastReceiverReport(let delays):
            buffer.store(UInt32(0x0500_0000) | UInt32(3 * delays.count), at: offset)
            for (index, delay) in delays.enumerated() {
                buffer.store(delay.ssrc, at: offset + 4 + 12 * index)
                buffer.store(delay.lastReceiverReport, at: offset + 8 + 12 * index)
                buffer.store(delay.delaySinceLastReceiverReport, at: offset + 12 + 12 * index)
            }
        case .other: break
        }
    }
}
