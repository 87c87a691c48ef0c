/// One cause of an ABORT or ERROR, RFC 9260 section 3.3.10.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |          Cause Code           |         Cause Length          |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                   Cause-specific Information                  \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct SCTPErrorCause: Hashable, Sendable {
    package enum Code {
        package static let invalidStream: UInt16 = 1
        package static let missingParameter: UInt16 = 2
        package static let staleCookie: UInt16 = 3
        package static let outOfResource: UInt16 = 4
        package static let unrecognizedChunk: UInt16 = 6
        package static let noUserData: UInt16 = 9
        package static let cookieWhileShuttingDown: UInt16 = 10
        package static let userAbort: UInt16 = 12
        package static let protocolViolation: UInt16 = 13
    }

    package var code: UInt16
    package var info: [UInt8]

    package init(code: UInt16, info: [UInt8] = []) {
        self.code = code
        self.info = info
    }

    /// A cause whose information is text for the log.
    package init(code: UInt16, text: String) { self.init(code: code, info: Array(text.utf8)) }

    /// Invalid Stream Identifier (section 3.3.10.1).
    package static func invalidStream(_ stream: UInt16) -> SCTPErrorCause {
        var info: [UInt8] = []
        info.append16(stream)
        info.append16(0)
        return SCTPErrorCause(code: Code.invalidStream, info: info)
    }

    /// Stale Cookie (section 3.3.10.3): how long ago it ran out, in microseconds.
    package static func staleCookie(microseconds: UInt32) -> SCTPErrorCause {
        var info: [UInt8] = []
        info.append32(microseconds)
        return SCTPErrorCause(code: Code.staleCookie, info: info)
    }

    /// Causes are laid out as parameters are.
    static func list(_ bytes: RawSpan, from start: Int) throws(WireError) -> [SCTPErrorCause] {
        try SCTPParameter.list(bytes, from: start).map { SCTPErrorCause(code: $0.type, info: $0.value) }
    }

    static func append(_ causes: [SCTPErrorCause], to bytes: inout [UInt8]) {
        SCTPParameter.append(causes.map { SCTPParameter(type: $0.code, value: $0.info) }, to: &bytes)
    }
}
