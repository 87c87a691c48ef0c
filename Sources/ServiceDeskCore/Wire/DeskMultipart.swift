/// One file in `multipart/form-data` (RFC 7578).
package struct DeskMultipart: Sendable, Hashable {
    /// Parts before the file that are passed over.
    package static let largestParts = 8
    /// Bytes of a part's header fields.
    package static let largestHead = 4_096

    package var name: String
    package var bytes: [UInt8]

    package init(name: String, bytes: [UInt8]) {
        self.name = name
        self.bytes = bytes
    }

    /// The field of a content type that says what stands between the parts; nil where there is no usable one.
    package static func boundary(_ contentType: String) -> String? {
        for part in contentType.split(separator: ";").dropFirst() {
            let field = part.drop { $0 == " " || $0 == "\t" }
            guard field.lowercased().hasPrefix("boundary=") else { continue }
            var value = field.dropFirst("boundary=".count)
            if value.count >= 2, value.first == "\"", value.last == "\"" { value = value.dropFirst().dropLast() }
            let isFit = value.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "\"") }
            return (1...70).contains(value.utf8.count) && isFit ? String(value) : nil
        }
        return nil
    }

    /// The first part that is a file; nil where there is none, or the bytes are no such body.
    package init?(_ body: [UInt8], boundary: String) {
        let mark = Array("--\(boundary)".utf8)
        let separator = [0x0d, 0x0a] + mark
        guard body.starts(with: mark) else { return nil }
        var position = mark.count
        for _ in 0..<Self.largestParts {
            // `--` ends the body.
            guard body[position...].starts(with: [0x0d, 0x0a]) else { return nil }
            let start = position + 2
            guard let end = Self.find(separator, in: body[...], from: start - 2) else { return nil }
            if let part = Self.part(body, start, max(start, end)) {
                self = part
                return
            }
            position = end + separator.count
        }
        return nil
    }

    /// The body that holds the file. The boundary must not occur in the file.
    package func body(boundary: String) -> [UInt8] {
        let quoted = String(name.map { "\"\r\n\\".contains($0) ? "_" : $0 })
        var result = Array(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"File\"; filename=\"\(quoted)\"\r\n".utf8)
        result += Array("Content-Type: application/octet-stream\r\n\r\n".utf8)
        result += bytes
        return result + Array("\r\n--\(boundary)--\r\n".utf8)
    }

    private static func part(_ body: [UInt8], _ start: Int, _ end: Int) -> DeskMultipart? {
        let limit = min(end, start + largestHead)
        guard let headEnd = find([0x0d, 0x0a, 0x0d, 0x0a], in: body[..<limit], from: start),
            let head = String(validating: body[start..<headEnd], as: UTF8.self)
        else { return nil }
        for line in head.split(whereSeparator: { $0 == "\r\n" || $0 == "\n" || $0 == "\r" })
        where line.lowercased().hasPrefix("content-disposition:") {
            guard let name = fileName(line) else { continue }
            return DeskMultipart(name: name, bytes: Array(body[(headEnd + 4)..<end]))
        }
        return nil
    }

    /// The quoted `filename` of a disposition.
    private static func fileName(_ line: Substring) -> String? {
        guard let start = line.firstRange(of: "filename=\"")?.upperBound else { return nil }
        let rest = line[start...]
        return rest.firstIndex(of: "\"").map { String(rest[..<$0]) }
    }

    /// Where `pattern` begins. It holds its first byte at most twice, so that the time is linear.
    private static func find(_ pattern: [UInt8], in bytes: ArraySlice<UInt8>, from start: Int) -> Int? {
        var position = start
        while position + pattern.count <= bytes.endIndex {
            guard let next = bytes[position...].firstIndex(of: pattern[0]) else { return nil }
            if bytes[next...].starts(with: pattern) { return next }
            position = next + 1
        }
        return nil
    }
}
