/// An alert, RFC 5246 section 7.2: its level and its description, a byte each.
package struct TLSAlert: Hashable, Sendable {
    package static let length = 2

    /// What is wrong, by number.
    package enum Description {
        package static let closeNotify: UInt8 = 0
        package static let handshakeFailure: UInt8 = 40
        package static let badCertificate: UInt8 = 42
        package static let illegalParameter: UInt8 = 47
        package static let decodeError: UInt8 = 50
        package static let decryptError: UInt8 = 51
        package static let protocolVersion: UInt8 = 70
        package static let internalError: UInt8 = 80
        package static let unsupportedExtension: UInt8 = 110
    }

    package var isFatal: Bool
    package var description: UInt8

    package init(isFatal: Bool, description: UInt8) {
        self.isFatal = isFatal
        self.description = description
    }

    /// close_notify is a warning (RFC 5246 section 7.2.1).
    package static let closeNotify = TLSAlert(isFatal: false, description: Description.closeNotify)

    /// Reads an alert, which has two bytes; the level is 1 or 2.
    package init(parsing bytes: RawSpan) throws(WireError) {
        guard bytes.byteCount == TLSAlert.length else { throw .invalidLength }
        guard (1...2).contains(bytes.byte(0)) else { throw .invalidValue }
        isFatal = bytes.byte(0) == 2
        description = bytes.byte(1)
    }

    package var encoded: [UInt8] { [isFatal ? 2 : 1, description] }
}
