/// Which files are taken. Service and clients ask the same questions, each of a policy of its own.
public struct FilePolicy: Sendable, Hashable, Codable {
    /// Media types, for example `image/png`, `image/*` or `*/*`.
    public var types: [String]
    /// Bytes of a file.
    public var maximumBytes: Int64

    /// Pictures, sound, video, texts and documents of up to 100 MiB.
    public init(types: [String] = FilePolicy.usual, maximumBytes: Int64 = 100 * 1024 * 1024) {
        self.types = types
        self.maximumBytes = maximumBytes
    }

    /// What people send one another.
    public static let usual = [
        "image/png", "image/jpeg", "image/gif", "image/webp", "audio/*", "video/mp4", "text/plain", "text/csv",
        "application/pdf", "application/zip",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ]

    /// Why a file is refused.
    public enum Refusal: Error, Sendable, Hashable, CustomStringConvertible {
        /// Its type is none of those.
        case type(String, allowed: [String])
        /// It is too long.
        case size(Int64, maximum: Int64)
        /// Its content is not what its type says.
        case content(String, found: FileSignature)

        /// One sentence that names what is allowed.
        public var description: String {
            switch self {
            case .type(let type, let allowed): "the type \(type) is not taken; use \(allowed.joined(separator: ", "))"
            case .size(let size, let maximum): "\(size) bytes are too many; a file has at most \(maximum)"
            case .content(let type, let found): "the content is no \(type): \(found.rawValue)"
            }
        }
    }

    /// Before a byte of it is read.
    public func check(type: String, size: Int64) throws(Refusal) {
        guard allows(type) else { throw .type(type, allowed: types) }
        guard size <= maximumBytes else { throw .size(size, maximum: maximumBytes) }
    }

    /// When it is there.
    ///
    /// - Parameter head: its first bytes, `FileSignature.bytes` of them or all there are.
    public func check(type: String, head: [UInt8]) throws(Refusal) {
        let found = FileSignature(head)
        guard found.fits(Self.essence(type)) else { throw .content(type, found: found) }
    }

    private func allows(_ type: String) -> Bool {
        let type = Self.essence(type)
        return types.contains { pattern in
            let pattern = pattern.lowercased()
            if pattern == "*/*" || pattern == type { return true }
            return pattern.hasSuffix("/*") && type.hasPrefix(pattern.dropLast())
        }
    }

    /// Without parameters, in small letters.
    static func essence(_ type: String) -> String {
        var essence = type.prefix { $0 != ";" }.lowercased()
        while essence.last == " " { essence.removeLast() }
        return essence
    }

    /// Whether it is a media type (RFC 9110 section 8.3.1), of at most 128 bytes.
    package static func isType(_ text: String) -> Bool {
        guard (3...128).contains(text.utf8.count), text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            return false
        }
        let parts = essence(text).split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty && part.utf8.allSatisfy { isTokenByte($0) }
            }
    }

    private static func isTokenByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        case UInt8(ascii: "!"), UInt8(ascii: "#"), UInt8(ascii: "$"), UInt8(ascii: "&"), UInt8(ascii: "-"),
            UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "."), UInt8(ascii: "+"):
            true
        default: false
        }
    }
}
