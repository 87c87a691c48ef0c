/// Hosts of URLs.
enum URLHost {
    /// Host and port of an authority.
    static func split(_ authority: ArraySlice<UInt8>) throws(URLFault) -> (ArraySlice<UInt8>, Int?) {
        let begin =
            authority.first == UInt8(ascii: "[") ? authority.firstIndex(of: UInt8(ascii: "]")) : authority.startIndex
        guard let begin, let colon = authority[begin...].firstIndex(of: UInt8(ascii: ":")) else {
            return (authority, nil)
        }
        let digits = authority[(colon + 1)...]
        guard (1...5).contains(digits.count), digits.allSatisfy({ (48...57).contains($0) }),
            let port = Int(String(decoding: digits, as: UTF8.self)), (1...65_535).contains(port)
        else { throw .port }
        return (authority[..<colon], port)
    }

    static func canonical(_ host: ArraySlice<UInt8>) throws(URLFault) -> String {
        if host.first == UInt8(ascii: "[") {
            guard host.count > 2, host.last == UInt8(ascii: "]"),
                let address = IPv6Text.canonical(host.dropFirst().dropLast())
            else { throw .host }
            return "[\(address)]"
        }
        let text = String(decoding: host, as: UTF8.self).lowercased()
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 253, labels.allSatisfy(isLabel), let last = labels.last else { throw .host }
        // Programs read 0x7f.1, 2130706433 and 0177.0.0.1 as addresses.
        guard last.utf8.first.map({ (48...57).contains($0) }) == true else { return text }
        guard labels.count == 4, labels.allSatisfy(isOctet) else { throw .host }
        return text
    }

    private static func isLabel(_ label: Substring) -> Bool {
        (1...63).contains(label.utf8.count) && label.utf8.allSatisfy { ByteSet.word.contains($0) || $0 == 0x2D }
    }

    private static func isOctet(_ label: Substring) -> Bool { UInt8(label).map { "\($0)" == label } ?? false }
}

/// IPv6 addresses (RFC 4291 section 2.2) in their one spelling (RFC 5952).
enum IPv6Text {
    static func canonical(_ bytes: ArraySlice<UInt8>) -> String? {
        guard let groups = groups(String(decoding: bytes, as: UTF8.self)) else { return nil }
        let zeros = longestZeros(groups)
        let text = { (part: ArraySlice<UInt16>) in part.map { String($0, radix: 16) }.joined(separator: ":") }
        guard zeros.count > 1 else { return text(groups[...]) }
        return text(groups[..<zeros.lowerBound]) + "::" + text(groups[zeros.upperBound...])
    }

    private static func groups(_ text: String) -> [UInt16]? {
        let utf8 = Array(text.utf8)
        let doubles = utf8.indices.dropLast().filter { utf8[$0] == 0x3A && utf8[$0 + 1] == 0x3A }
        guard doubles.count <= 1 else { return nil }
        guard let double = doubles.first else {
            guard let all = part(utf8[...]), all.count == 8 else { return nil }
            return all
        }
        guard let before = part(utf8[..<double]), let after = part(utf8[(double + 2)...]),
            before.count + after.count <= 7
        else { return nil }
        return before + Array(repeating: 0, count: 8 - before.count - after.count) + after
    }

    private static func part(_ bytes: ArraySlice<UInt8>) -> [UInt16]? {
        guard !bytes.isEmpty else { return [] }
        var groups: [UInt16] = []
        for group in bytes.split(separator: 0x3A, omittingEmptySubsequences: false) {
            let text = String(decoding: group, as: UTF8.self)
            guard (1...4).contains(group.count), group.first != UInt8(ascii: "+"), let value = UInt16(text, radix: 16)
            else { return nil }
            groups.append(value)
        }
        return groups
    }

    private static func longestZeros(_ groups: [UInt16]) -> Range<Int> {
        var best = 0..<0
        var begin = 0
        for index in 0...groups.count where index == groups.count || groups[index] != 0 {
            if index - begin > best.count { best = begin..<index }
            begin = index + 1
        }
        return best
    }
}

/// Paths of URLs.
enum URLPath {
    static func canonical(_ path: ArraySlice<UInt8>) throws(URLFault) -> String {
        guard !path.isEmpty else { return "/" }
        var result: [UInt8] = []
        // What a server that undoes escapes first would see.
        var seen: [UInt8] = []
        var index = path.startIndex
        while index < path.endIndex {
            let byte = path[index]
            guard byte == UInt8(ascii: "%") else {
                result.append(byte)
                seen.append(byte)
                index += 1
                continue
            }
            guard index + 2 < path.endIndex, let high = digit(path[index + 1]), let low = digit(path[index + 2]) else {
                throw .path
            }
            let value = high << 4 | low
            guard value >= 0x20, value != 0x7F else { throw .path }
            seen.append(value)
            result += isUnreserved(value) ? [value] : [UInt8(ascii: "%"), hex[Int(high)], hex[Int(low)]]
            index += 3
        }
        for segment in seen.split(whereSeparator: { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "\\") }) {
            // Parameters of a segment are dropped by some servers before they look.
            let name = segment.prefix { $0 != UInt8(ascii: ";") }
            guard !name.elementsEqual(".".utf8), !name.elementsEqual("..".utf8) else { throw .path }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static let hex = Array("0123456789ABCDEF".utf8)

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 48...57: byte - 48
        case 65...70: byte - 55
        case 97...102: byte - 87
        default: nil
        }
    }

    private static func isUnreserved(_ byte: UInt8) -> Bool {
        ByteSet.word.contains(byte) || byte == 0x2D || byte == 0x2E || byte == 0x7E
    }
}
