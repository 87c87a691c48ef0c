/// A parameter of a chunk, RFC 9260 section 3.2.1.
///
/// ```
///   0                   1                   2                   3
///   0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5 6 7 8 9 0 1
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  |        Parameter Type         |       Parameter Length        |
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
///  \                        Parameter Value                        \
///  +-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+-+
/// ```
package struct SCTPParameter: Hashable, Sendable {
    static let headerLength = 4

    /// Parameter types: RFC 9260 section 3.3.2.1, RFC 5061 section 4.2.7, RFC 3758 section 3.1, RFC 6525 section 4.
    package enum Kind {
        package static let stateCookie: UInt16 = 7
        package static let unrecognized: UInt16 = 8
        package static let outgoingReset: UInt16 = 13
        package static let incomingReset: UInt16 = 14
        package static let associationReset: UInt16 = 15
        package static let reconfigResponse: UInt16 = 16
        package static let addOutgoingStreams: UInt16 = 17
        package static let addIncomingStreams: UInt16 = 18
        package static let supportedExtensions: UInt16 = 0x8008
        package static let forwardTSNSupported: UInt16 = 0xc000
    }

    package var type: UInt16
    package var value: [UInt8]

    package init(type: UInt16, value: [UInt8]) {
        self.type = type
        self.value = value
    }

    /// Reads all parameters from `start` to the end of the chunk.
    static func list(_ bytes: RawSpan, from start: Int) throws(WireError) -> [SCTPParameter] {
        var result: [SCTPParameter] = []
        var offset = start
        while offset < bytes.byteCount {
            guard bytes.byteCount - offset >= headerLength else { throw .truncated }
            let length = Int(bytes.uint16(offset + 2))
            guard length >= headerLength else { throw .invalidLength }
            guard length <= bytes.byteCount - offset else { throw .truncated }
            result.append(
                SCTPParameter(
                    type: bytes.uint16(offset), value: bytes.array((offset + headerLength)..<(offset + length))))
            offset += (length + 3) & ~3
        }
        return result
    }

    /// Appends all of them, padded but for the last one: its padding is not counted in the chunk's length.
    static func append(_ parameters: [SCTPParameter], to bytes: inout [UInt8]) {
        for parameter in parameters {
            bytes.padToWord()
            bytes.append16(parameter.type)
            bytes.append16(UInt16(clamping: parameter.value.count + headerLength))
            bytes += parameter.value
        }
    }
}
