/// How large a description may be.
package struct SDPLimits: Hashable, Sendable {
    /// Bytes of the whole text.
    package var bytes = 256 * 1024
    /// m-lines.
    package var media = 512
    /// Lines of one section. A browser's fullest video section has about 200, plus four per send stream.
    package var linesPerSection = 2048
    /// Bytes of one line. `a=msid-semantic` lists every stream, so a line may be long.
    package var lineLength = 32 * 1024
    /// Formats on one m-line; there are only 128 payload types.
    package var formats = 256

    package init() {}
}

extension SDPSession {
    /// Reads a description. Line ends may be CRLF or LF; text after the last line end is taken as a line.
    package init(parsing text: String, limits: SDPLimits = SDPLimits()) throws(SDPError) {
        guard text.utf8.count <= limits.bytes else {
            throw .tooLarge(bytes: text.utf8.count, limit: limits.bytes)
        }
        try self.init(parsing: Array(text.utf8), limits: limits)
    }

    /// Reads a description from bytes, which must be UTF-8.
    package init(parsing bytes: [UInt8], limits: SDPLimits = SDPLimits()) throws(SDPError) {
        guard bytes.count <= limits.bytes else { throw .tooLarge(bytes: bytes.count, limit: limits.bytes) }
        var parser = SDPParser(limits: limits)
        try bytes.withUnsafeBufferPointer { (bytes) throws(SDPError) in try parser.parse(bytes) }
        self = parser.session
    }
}

/// Takes a text apart line by line.
struct SDPParser {
    let limits: SDPLimits
    private(set) var session = SDPSession()
    /// The section being filled; nil while in the session part. Kept apart so that appending does not copy.
    private var section: SDPMedia?
    private var line = 0
    private var hasOrigin = false

    init(limits: SDPLimits) { self.limits = limits }

    mutating func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(SDPError) {
        var end = bytes.count
        // Blank lines after the last one come from here-documents and editors; they mean nothing.
        while end > 0 && (bytes[end - 1] == 0x0A || bytes[end - 1] == 0x0D) { end -= 1 }
        var start = 0
        while start < end {
            var stop = start
            while stop < end && bytes[stop] != 0x0A { stop += 1 }
            let next = stop + 1
            if stop < end && stop > start && bytes[stop - 1] == 0x0D { stop -= 1 }
            line += 1
            try take(UnsafeBufferPointer(rebasing: bytes[start..<stop]))
            start = next
        }
        closeSection()
        guard line > 0 else { throw .missingVersion }
        guard hasOrigin else { throw .invalidOrigin(line: line) }
    }

    private mutating func take(_ text: UnsafeBufferPointer<UInt8>) throws(SDPError) {
        guard text.count <= limits.lineLength else { throw .lineTooLong(line: line, limit: limits.lineLength) }
        var index = 0
        while index < text.count {
            if text[index] == 0 || text[index] == 0x0D { throw .invalidCharacter(line: line) }
            index += 1
        }
        guard text.count >= 2, text[1] == UInt8(ascii: "="), text[0] >= 0x61, text[0] <= 0x7A else {
            throw line == 1 ? .missingVersion : .malformedLine(line: line)
        }
        guard let value = String(validating: UnsafeBufferPointer(rebasing: text[2...]), as: UTF8.self) else {
            throw .invalidCharacter(line: line)
        }
        try take(type: text[0], value: value)
    }

    private mutating func take(type: UInt8, value: String) throws(SDPError) {
        if line == 1 {
            guard type == UInt8(ascii: "v"), value == "0" else { throw .missingVersion }
        }
        switch type {
        case UInt8(ascii: "m"):
            try openSection(value)
        case UInt8(ascii: "a"):
            let (name, rest) = value.cut(at: UInt8(ascii: ":"))
            try append(.attribute(SDPAttribute(name, rest)))
        case UInt8(ascii: "o"):
            guard section == nil, !hasOrigin, SDPOrigin(parsing: value) != nil else {
                throw .invalidOrigin(line: line)
            }
            hasOrigin = true
            try append(.field(type: type, value: value))
        default:
            try append(.field(type: type, value: value))
        }
    }

    private mutating func openSection(_ value: String) throws(SDPError) {
        closeSection()
        guard session.media.count < limits.media else { throw .tooManyMedia(line: line, limit: limits.media) }
        guard let media = SDPMedia(parsing: value) else { throw .invalidMediaLine(line: line) }
        guard media.formats.count <= limits.formats else { throw .tooManyMedia(line: line, limit: limits.formats) }
        section = media
    }

    private mutating func closeSection() {
        guard let finished = section.take() else { return }
        session.media.append(finished)
    }

    private mutating func append(_ entry: SDPLine) throws(SDPError) {
        let count = section?.lines.count ?? session.lines.count
        guard count < limits.linesPerSection else { throw .tooManyLines(line: line, limit: limits.linesPerSection) }
        if section != nil {
            section?.lines.append(entry)
        } else {
            session.lines.append(entry)
        }
    }
}
