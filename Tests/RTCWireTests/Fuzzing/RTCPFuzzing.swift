import RTCWire

extension WireFuzzing {
    /// A compound; each packet that has a written form reads the same from it.
    package static func rtcp(_ input: UnsafeRawBufferPointer) {
        guard let compound = try? RTCPCompound(parsing: input.bytes) else { return }
        for packet in compound.packets {
            let length = packet.encodedLength
            let copy = written(length) { packet.write(into: $0) }
            precondition(copy.count == length && length % 4 == 0)
            guard length != 0 else { continue }
            copy.withUnsafeBytes { copy in
                guard let again = try? RTCPCompound(parsing: copy.bytes) else { preconditionFailure("unreadable") }
                precondition(again.malformed == 0 && again.packets.count == 1)
                precondition(isSame(packet, again.packets[0]))
            }
        }
    }

    /// Equal but for what writing may change: repaired UTF-8, the order of NACKs, unknown extended report blocks.
    private static func isSame(_ a: RTCPPacket, _ b: RTCPPacket) -> Bool {
        switch (a, b) {
        case (.sdes(let a), .sdes(let b)): a.chunks.map(\.ssrc) == b.chunks.map(\.ssrc)
        case (.bye(let a), .bye(let b)): a.sources == b.sources && (a.reason == nil) == (b.reason == nil)
        case (.nack(let a), .nack(let b)): Set(a.sequenceNumbers) == Set(b.sequenceNumbers)
        case (.xr(let a), .xr(let b)): a.blocks.filter { !isOther($0) } == b.blocks
        default: a == b
        }
    }

    private static func isOther(_ block: ExtendedReport.Block) -> Bool {
        if case .other = block { true } else { false }
    }
}
