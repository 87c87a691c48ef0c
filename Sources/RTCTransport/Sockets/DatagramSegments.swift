/// The datagrams that a received buffer holds: one, or several of a size that the kernel has joined (UDP_GRO, udp(7)),
/// the last of which may be shorter.
struct DatagramSegments: Sequence, IteratorProtocol {
    private let length: Int
    private let size: Int
    private var position = 0
    private var isFirst = true

    /// - Parameters:
    ///   - length: bytes in the buffer.
    ///   - size: of one datagram; nil where nothing was joined.
    init(length: Int, size: Int?) {
        self.length = length
        self.size = size.flatMap { $0 > 0 ? $0 : nil } ?? length
    }

    /// Where the next datagram stands. An empty one is a datagram too.
    mutating func next() -> Range<Int>? {
        guard position < length || isFirst else { return nil }
        isFirst = false
        let end = Swift.min(position + size, length)
        defer { position = end }
        return position..<end
    }
}
