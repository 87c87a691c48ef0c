import RTCWire

extension WireFuzzing {
    /// A stream of packets, read at once and in pieces: both must give the same packets, and keep no more than one.
    ///
    /// The first byte says how long the pieces are.
    package static func framing(_ input: UnsafeRawBufferPointer) {
        guard let first = input.first else { return }
        let stream = Array(input.dropFirst())
        let whole = cut(stream, pieces: max(1, stream.count))
        let pieces = cut(stream, pieces: Int(first) + 1)
        precondition(whole.packets == pieces.packets && whole.isBroken == pieces.isBroken)
        // What was cut can be put together again.
        var again: [UInt8] = []
        for packet in whole.packets { again += [UInt8(packet.count >> 8), UInt8(packet.count & 0xff)] + packet }
        precondition(cut(again, pieces: max(1, again.count)).packets == whole.packets)
    }

    private static let longest = 300

    private static func cut(_ stream: [UInt8], pieces: Int) -> (packets: [[UInt8]], isBroken: Bool) {
        var unframer = PacketUnframer(maximumPacket: longest)
        var packets: [[UInt8]] = []
        var start = 0
        while start < stream.count {
            let piece = stream[start..<min(start + pieces, stream.count)]
            start += pieces
            var memory = [UInt8](repeating: 0, count: unframer.capacity + piece.count)
            let isWhole = memory.withUnsafeMutableBytes { memory in
                let kept = unframer.restore(into: memory)
                UnsafeMutableRawBufferPointer(rebasing: memory[kept..<(kept + piece.count)]).copyBytes(from: piece)
                let read = UnsafeMutableRawBufferPointer(rebasing: memory[..<(kept + piece.count)])
                return (try? unframer.cut(read) { packets.append(Array($0)) }) != nil
            }
            guard isWhole else { return (packets, true) }
            precondition(packets.allSatisfy { (1...longest).contains($0.count) })
            precondition(unframer.keptCount <= unframer.capacity)
        }
        return (packets, false)
    }
}
