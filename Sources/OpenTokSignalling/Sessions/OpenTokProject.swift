/// A project: the API key that names it, and the secret that its tokens are signed with.
package struct OpenTokProject: Hashable, Sendable {
    package let key: String
    package let secret: String

    /// - Parameters:
    ///   - key: 1 to 64 letters, digits, `-` and `_`, for it is part of session ids and paths.
    ///   - secret: 1 to 1,024 bytes. Server SDKs take one that ends like a file name for the name of a key file.
    package init(key: String, secret: String) throws(ProjectFault) {
        guard Self.isKey(key) else { throw .key }
        guard (1...1024).contains(secret.utf8.count) else { throw .secretLength }
        guard !Self.endsLikeFileName(secret) else { throw .secretLooksLikeFileName }
        self.key = key
        self.secret = secret
    }

    /// What may stand for a project in session ids, tokens and paths.
    static func isKey(_ text: some StringProtocol) -> Bool {
        (1...64).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                switch $0 {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                    UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }

    /// A dot, and then letters, digits and underscores to the end.
    private static func endsLikeFileName(_ secret: String) -> Bool {
        guard let dot = secret.utf8.lastIndex(of: UInt8(ascii: ".")) else { return false }
        let ending = secret.utf8[dot...].dropFirst()
        return !ending.isEmpty && isKey(Substring(ending).prefix(64)) && !ending.contains(UInt8(ascii: "-"))
    }
}

/// Why a key and secret can't be those of a project.
package enum ProjectFault: Error, Hashable, CustomStringConvertible {
    case key
    case secretLength
    case secretLooksLikeFileName

    package var description: String {
        switch self {
        case .key: "API key: use 1 to 64 letters, digits, - and _"
        case .secretLength: "API secret: use 1 to 1024 bytes"
        case .secretLooksLikeFileName:
            "API secret: it ends like a file name, and server SDKs would open such a file; use one without a dot"
        }
    }
}
