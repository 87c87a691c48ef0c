import RTCWire

/// A handshake message of which some fragments may be missing.
struct PartialMessage {
    /// Gaps that are told apart; a fragment that would make one more is dropped.
    static let rangeLimit = 64

    let type: TLSHandshakeType
    let sequence: UInt16
    private(set) var bytes: [UInt8]
    /// What is there, in order, no two touching.
    private var ranges: [Range<Int>] = []

    init(_ header: DTLSHandshakeHeader) {
        type = header.type
        sequence = header.messageSequence
        bytes = [UInt8](repeating: 0, count: header.messageLength)
    }

    var isWhole: Bool { bytes.isEmpty || ranges == [0..<bytes.count] }

    /// Copies a fragment in; the caller has checked that it fits. What is there already stays.
    mutating func take(_ fragment: UnsafeRawBufferPointer, at offset: Int) {
        let added = offset..<(offset + fragment.count)
        guard !added.isEmpty, !ranges.contains(where: { $0.lowerBound <= offset && added.upperBound <= $0.upperBound })
        else { return }
        var merged = added
        var others: [Range<Int>] = []
        for range in ranges {
            if range.upperBound < added.lowerBound || range.lowerBound > added.upperBound {
                others.append(range)
            } else {
                merged = min(merged.lowerBound, range.lowerBound)..<max(merged.upperBound, range.upperBound)
            }
        }
        guard others.count < PartialMessage.rangeLimit else { return }
        for index in added where !ranges.contains(where: { $0.contains(index) }) {
            bytes[index] = fragment[index - offset]
        }
        ranges = (others + [merged]).sorted { $0.lowerBound < $1.lowerBound }
    }
}
