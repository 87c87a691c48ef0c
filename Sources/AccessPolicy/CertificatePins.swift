/// Public keys, one of which has to be in the verified chain of a server's certificates (RFC 7469). A value.
///
/// A pin is the SHA-256 of a SubjectPublicKeyInfo. There are at least two: without one for a key that is kept elsewhere, a server that loses
/// its key locks every client out (RFC 7469 section 4.3 has such pins ignored; here they are refused when configured).
public struct CertificatePins: Sendable, Hashable {
    /// Pins of one set.
    public static let most = 32
    private let digests: Set<[UInt8]>

    /// - Parameter pins: each `sha256/` and 32 bytes in Base64.
    /// - Throws: `PinFault`.
    public init(_ pins: [String]) throws(PinFault) {
        var digests: [[UInt8]] = []
        for pin in pins { digests.append(try Self.digest(pin)) }
        try self.init(digests: digests)
    }

    /// From SHA-256 digests of SubjectPublicKeyInfos. Throws `PinFault`.
    package init(digests: [[UInt8]]) throws(PinFault) {
        self.digests = Set(digests)
        guard self.digests.count >= 2 else { throw .noBackup }
        guard self.digests.count <= Self.most else { throw .tooMany }
    }

    /// Whether one of the keys is pinned.
    package func accept(_ chain: [[UInt8]]) -> Bool { chain.contains { digests.contains($0) } }

    /// The digest of a pin. Throws `PinFault`.
    package static func digest(_ pin: String) throws(PinFault) -> [UInt8] {
        let prefix = "sha256/"
        guard pin.hasPrefix(prefix), let bytes = base64(Array(pin.utf8.dropFirst(prefix.utf8.count))),
            bytes.count == 32
        else { throw .syntax }
        return bytes
    }

    /// RFC 4648 section 4 with its padding; nil for anything else.
    private static func base64(_ text: [UInt8]) -> [UInt8]? {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        guard text.count == 44, text.last == UInt8(ascii: "=") else { return nil }
        var (bits, count, bytes): (UInt32, Int, [UInt8]) = (0, 0, [])
        for character in text.dropLast() {
            guard let value = letters.firstIndex(of: character) else { return nil }
            bits = bits << 6 | UInt32(value)
            count += 6
            guard count >= 8 else { continue }
            count -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(count)))
        }
        // Bits that stand for nothing are zero: a pin has one spelling.
        return bits & (1 << UInt32(count) - 1) == 0 ? bytes : nil
    }
}

/// Why pins can't be used.
public enum PinFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not `sha256/` with 32 bytes in Base64.
    case syntax
    /// Fewer than two keys.
    case noBackup
    /// More than 32 keys.
    case tooMany
    /// A file holds no certificate.
    case certificate(String)

    /// One sentence with the remedy; no pin is repeated in it.
    public var description: String {
        switch self {
        case .syntax: "a pin is none; write sha256/ and the Base64 of the key's SHA-256, 44 characters"
        case .noBackup: "there is no backup pin; add the pin of a second key, kept apart from the server's"
        case .tooMany: "there are more than \(CertificatePins.most) pins; leave old ones out"
        case .certificate(let file): "\"\(file)\" holds no certificate to pin; give a PEM or DER file"
        }
    }
}
