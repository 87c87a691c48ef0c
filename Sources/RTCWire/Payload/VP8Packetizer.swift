/// Cuts an encoded VP8 frame into RTP payloads, RFC 7741 section 4.
///
/// Every fragment but the last has the same size, and the last is not longer, so that a run of packets can leave as one
/// segmented send; the sizes are near each other, so that no packet is needlessly small.
package struct VP8Packetizer: Sequence, IteratorProtocol, Sendable {
    /// One packet's share of the frame.
    package struct Fragment: Hashable, Sendable {
        /// Bytes of the frame.
        package var range: Range<Int>
        /// Its descriptor has S set.
        package var isFirst: Bool
        /// Its packet has the marker bit set.
        package var isLast: Bool
    }

    private let frameLength: Int
    private let fragmentLength: Int
    private var offset = 0

    /// How many packets the frame makes.
    package let count: Int

    /// - Parameters:
    ///   - frameLength: bytes of the encoded frame; none makes no fragment.
    ///   - maximumPayload: bytes of RTP payload a packet may have, the descriptor included.
    ///   - descriptorLength: bytes of the descriptor in every packet, 1...6.
    package init(frameLength: Int, maximumPayload: Int, descriptorLength: Int) {
        let room = Swift.max(1, maximumPayload - descriptorLength)
        let packets = Swift.max(1, (frameLength + room - 1) / room)
        self.frameLength = Swift.max(0, frameLength)
        fragmentLength = (self.frameLength + packets - 1) / packets
        count = fragmentLength == 0 ? 0 : (self.frameLength + fragmentLength - 1) / fragmentLength
    }

    package mutating func next() -> Fragment? {
        guard offset < frameLength else { return nil }
        let end = Swift.min(frameLength, offset + fragmentLength)
        defer { offset = end }
        return Fragment(range: offset..<end, isFirst: offset == 0, isLast: end == frameLength)
    }
}
