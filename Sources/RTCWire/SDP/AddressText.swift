/// The text forms of IP addresses: dotted IPv4, and IPv6 as RFC 4291 section 2.2 reads and RFC 5952 writes it.
extension TransportAddress {
    /// An address given as text; nil for a host name, a zone suffix, or anything else that is not an IP address.
    package init?(host: String, port: UInt16) {
        let bytes = Array(host.utf8)
        if bytes.contains(UInt8(ascii: ":")) {
            guard bytes.count <= 45, let groups = TransportAddress.ipv6Groups(bytes[...]) else { return nil }
            var value: (high: UInt64, low: UInt64) = (0, 0)
            for group in groups[..<4] { value.high = value.high << 16 | UInt64(group) }
            for group in groups[4...] { value.low = value.low << 16 | UInt64(group) }
            self.init(high: value.high, low: value.low, port: port)
        } else {
            guard let ipv4 = TransportAddress.ipv4Value(bytes[...]) else { return nil }
            self.init(ipv4: ipv4, port: port)
        }
    }

    /// The address without its port: `127.0.0.1`, `2001:db8::1`.
    package var host: String {
        if isIPv4 { return TransportAddress.dotted(ipv4) }
        let groups = (0..<8).map { index in
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64(48 - 16 * (index & 3)))
        }
        guard let zeros = TransportAddress.longestZeroRun(groups) else {
            return TransportAddress.text(groups[...])
        }
        let head = TransportAddress.text(groups[..<zeros.lowerBound])
        return "\(head)::\(TransportAddress.text(groups[zeros.upperBound...]))"
    }

    // MARK: Reading

    private static func ipv4Value(_ bytes: ArraySlice<UInt8>) -> UInt32? {
        let parts = bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard parts.count == 4 else { return nil }
        var value: UInt32 = 0
        for part in parts {
            guard let octet = number(part, radix: 10, digits: 3), octet < 256 else { return nil }
            value = value << 8 | UInt32(octet)
        }
        return value
    }

    private static func ipv6Groups(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        let colon = UInt8(ascii: ":")
        var index = bytes.startIndex
        while index + 1 < bytes.endIndex {
            if bytes[index] == colon && bytes[index + 1] == colon {
                guard let head = groups(bytes[..<index], endsAddress: false), let tail = groups(bytes[(index + 2)...]),
                    head.count + tail.count < 8
                else { return nil }
                return head + Array(repeating: 0, count: 8 - head.count - tail.count) + tail
            }
            index += 1
        }
        guard let all = groups(bytes), all.count == 8 else { return nil }
        return all
    }

    /// Groups without `::`; at the end of an address the last one may be dotted IPv4. None for no text.
    private static func groups(_ bytes: ArraySlice<UInt8>, endsAddress: Bool = true) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        let parts = bytes.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        var result: [UInt16] = []
        for (index, part) in parts.enumerated() {
            if endsAddress, index == parts.count - 1, part.contains(UInt8(ascii: ".")) {
                guard let ipv4 = ipv4Value(part) else { return nil }
                result += [UInt16(truncatingIfNeeded: ipv4 >> 16), UInt16(truncatingIfNeeded: ipv4)]
            } else {
                guard let group = number(part, radix: 16, digits: 4) else { return nil }
                result.append(group)
            }
        }
        return result
    }

    private static func number(_ bytes: ArraySlice<UInt8>, radix: UInt16, digits: Int) -> UInt16? {
        guard !bytes.isEmpty, bytes.count <= digits else { return nil }
        var value: UInt16 = 0
        for byte in bytes {
            let digit: UInt16
            switch byte {
            case 0x30...0x39: digit = UInt16(byte) - 0x30
            case 0x61...0x66 where radix == 16: digit = UInt16(byte) - 0x57
            case 0x41...0x46 where radix == 16: digit = UInt16(byte) - 0x37
            default: return nil
            }
            value = value &* radix &+ digit
        }
        return value
    }

    // MARK: Writing

    private static func dotted(_ value: UInt32) -> String {
        "\(value >> 24).\(value >> 16 & 255).\(value >> 8 & 255).\(value & 255)"
    }

    private static func text(_ groups: ArraySlice<UInt16>) -> String {
        groups.map { String($0, radix: 16) }.joined(separator: ":")
    }

    /// The first longest run of at least two zero groups.
    private static func longestZeroRun(_ groups: [UInt16]) -> Range<Int>? {
        var best: Range<Int>?
        var start = 0
        while start < groups.count {
            var end = start
            while end < groups.count && groups[end] == 0 { end += 1 }
            if end - start >= 2, end - start > (best?.count ?? 0) { best = start..<end }
            start = max(end, start + 1)
        }
        return best
    }
}
