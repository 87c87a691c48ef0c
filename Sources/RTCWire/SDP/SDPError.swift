/// Why a text is not a session description we take. Line numbers count from 1.
package enum SDPError: Error, Hashable, Sendable {
    /// The text is longer than `SDPLimits.bytes`.
    case tooLarge(bytes: Int, limit: Int)
    /// A line is longer than `SDPLimits.lineLength`.
    case lineTooLong(line: Int, limit: Int)
    /// One section has more lines than `SDPLimits.linesPerSection`.
    case tooManyLines(line: Int, limit: Int)
    /// There are more m-lines than `SDPLimits.media`, or an m-line lists more formats than `SDPLimits.formats`.
    case tooManyMedia(line: Int, limit: Int)
    /// Not UTF-8, or a NUL or a bare carriage return inside a line.
    case invalidCharacter(line: Int)
    /// Not of the form `<letter>=<value>`.
    case malformedLine(line: Int)
    /// The description does not begin with `v=0`.
    case missingVersion
    /// There is no `o=` line, or it has not its six fields (RFC 8866 section 5.2).
    case invalidOrigin(line: Int)
    /// An m-line without kind, port (0...65535) and protocol (RFC 8866 section 5.14).
    case invalidMediaLine(line: Int)
    /// A candidate line that RFC 8839 section 5.1 does not allow; the text says which field.
    case invalidCandidate(field: String)
}

extension SDPError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge(let bytes, let limit):
            "session description of \(bytes) bytes is too large (at most \(limit))"
        case .lineTooLong(let line, let limit): "session description line \(line) is longer than \(limit) bytes"
        case .tooManyLines(let line, let limit):
            "session description line \(line): a section may have at most \(limit) lines"
        case .tooManyMedia(let line, let limit):
            "session description line \(line): more than \(limit) m-lines or formats"
        case .invalidCharacter(let line): "session description line \(line) has a byte that no SDP line may have"
        case .malformedLine(let line): "session description line \(line) is not of the form <letter>=<value>"
        case .missingVersion: "session description does not begin with v=0"
        case .invalidOrigin(let line): "session description line \(line): missing or malformed o= line"
        case .invalidMediaLine(let line): "session description line \(line): malformed m= line"
        case .invalidCandidate(let field): "ICE candidate with missing or malformed \(field)"
        }
    }
}
