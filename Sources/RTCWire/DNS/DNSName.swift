/// A domain name, RFC 1035 section 3.1: labels of 1...63 bytes, 255 bytes at the most with their lengths and the end.
///
/// Kept in lower case, since names are compared so (RFC 1035 section 2.3.3).
package struct DNSName: Sendable, Hashable {
    /// The host's own first.
    package let labels: [[UInt8]]

    /// A name as people write it; nil where a label is empty or longer than 63 bytes, or the name than 255.
    package init?(_ text: String) {
        let labels = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
            .map { $0.map(DNSName.lowercased) }
        guard labels.allSatisfy({ (1...DNSName.longestLabel).contains($0.count) }),
            DNSName.length(labels) <= DNSName.longest
        else { return nil }
        self.labels = labels
    }

    /// Reads the name at `offset`, and moves `offset` behind it.
    ///
    /// Each pointer (RFC 1035 section 4.1.4) has to lead before the labels that it ends, so that no name is endless.
    package init(parsing bytes: RawSpan, at offset: inout Int) throws(WireError) {
        var labels: [[UInt8]] = []
        var position = offset
        var bound = offset
        var end: Int?
        while true {
            guard position < bytes.byteCount else { throw .truncated }
            let first = Int(bytes.byte(position))
            if first == 0 { break }
            if first >= DNSName.pointerBits {
                guard position + 1 < bytes.byteCount else { throw .truncated }
                let target = Int(bytes.uint16(position) & 0x3fff)
                guard target < bound else { throw .invalidValue }
                end = end ?? position + 2
                (position, bound) = (target, target)
                continue
            }
            guard first <= DNSName.longestLabel else { throw .invalidValue }
            guard first < bytes.byteCount - position else { throw .truncated }
            labels.append(bytes.array((position + 1)..<(position + 1 + first)).map(DNSName.lowercased))
            guard DNSName.length(labels) <= DNSName.longest else { throw .invalidLength }
            position += 1 + first
        }
        offset = end ?? position + 1
        self.labels = labels
    }

    /// On the wire, without pointers.
    package func append(to bytes: inout [UInt8]) {
        for label in labels {
            bytes.append(UInt8(truncatingIfNeeded: label.count))
            bytes.append(contentsOf: label)
        }
        bytes.append(0)
    }

    private static func length(_ labels: [[UInt8]]) -> Int { labels.reduce(1) { $0 + 1 + $1.count } }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static let longestLabel = 63
    private static let longest = 255
    private static let pointerBits = 0xc0
}
