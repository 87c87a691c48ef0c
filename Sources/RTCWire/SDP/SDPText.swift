/// Splitting of ASCII-structured text by bytes: no grapheme breaking, no Foundation.
extension String {
    /// The parts between runs of `separator`, empty parts dropped; the last part takes the rest after `limit` parts.
    package func fields(separator: UInt8 = UInt8(ascii: " "), limit: Int = .max) -> [String] {
        withContiguousUTF8 { bytes in
            var parts: [String] = []
            var start = 0
            while start < bytes.count {
                if bytes[start] == separator {
                    start += 1
                    continue
                }
                var end = start
                if parts.count + 1 >= limit {
                    end = bytes.count
                } else {
                    while end < bytes.count && bytes[end] != separator { end += 1 }
                }
                parts.append(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
                start = end + 1
            }
            return parts
        }
    }

    /// What stands before and after the first `separator`; the second is nil where there is none.
    package func cut(at separator: UInt8) -> (head: String, tail: String?) {
        withContiguousUTF8 { bytes in
            var index = 0
            while index < bytes.count && bytes[index] != separator { index += 1 }
            guard index < bytes.count else { return (self, nil) }
            return (
                String(decoding: UnsafeBufferPointer(rebasing: bytes[..<index]), as: UTF8.self),
                String(decoding: UnsafeBufferPointer(rebasing: bytes[(index + 1)...]), as: UTF8.self)
            )
        }
    }

    /// ASCII case folding; other characters stay.
    package var asciiLowercased: String {
        withContiguousUTF8 { bytes in
            guard bytes.contains(where: { $0 >= 65 && $0 <= 90 }) else { return self }
            return String(decoding: bytes.map { $0 >= 65 && $0 <= 90 ? $0 | 0x20 : $0 }, as: UTF8.self)
        }
    }

    /// Without the spaces and tabs at both ends.
    package var trimmed: String {
        withContiguousUTF8 { bytes in
            var start = 0
            var end = bytes.count
            while start < end && (bytes[start] == 0x20 || bytes[start] == 0x09) { start += 1 }
            while end > start && (bytes[end - 1] == 0x20 || bytes[end - 1] == 0x09) { end -= 1 }
            if start == 0 && end == bytes.count { return self }
            return String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self)
        }
    }

    /// True for 1...256 visible characters without a space: what can stand as a mid, stream id or track id.
    package var isVisibleToken: Bool {
        withContiguousUTF8 { bytes in
            (1...256).contains(bytes.count) && bytes.allSatisfy { $0 > 0x20 && $0 != 0x7F }
        }
    }

    private func withContiguousUTF8<R>(_ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
        if let result = utf8.withContiguousStorageIfAvailable(body) { return result }
        return Array(utf8).withUnsafeBufferPointer(body)
    }
}
