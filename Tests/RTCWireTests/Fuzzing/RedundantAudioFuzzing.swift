import RTCWire

extension WireFuzzing {
    /// A payload of redundant audio: its blocks lie inside it, one behind the other.
    package static func red(_ input: UnsafeRawBufferPointer) {
        guard let red = try? RedundantAudio(parsing: input.bytes) else { return }
        var end = 4 * red.copies + 1
        for index in 0...red.copies {
            guard let block = red.block(index, in: input.bytes) else {
                preconditionFailure("a checked block is missing")
            }
            precondition(block.range.lowerBound == end && block.distance == red.copies - index)
            end = block.range.upperBound
        }
        precondition(end == input.count && red.block(red.copies + 1, in: input.bytes) == nil)
    }
}
