/// A session id: `1_` (relayed) or `2_` (routed), then base64url of fields between tildes, of which one is the API key:
/// `~12345~~1800000000000~4f1c9a7be2d05833~M~`. Server SDKs make no token where the key is not among the fields.
package struct OpenTokSessionID: Hashable, Sendable {
    /// Bytes of the whole text.
    package static let longest = 255
    private static let largestFieldCount = 32

    package let text: String
    package let mediaMode: MediaMode
    /// What is between the tildes.
    package let fields: [String]

    /// A new id.
    ///
    /// - Parameters:
    ///   - project: its API key.
    ///   - location: where the session is wanted, an IPv4 address; empty for anywhere.
    ///   - createdAt: milliseconds since 1970.
    ///   - random: what makes it the only one of its millisecond.
    package init(
        project: String, mediaMode: MediaMode, location: String = "", createdAt: Int64,
        random: UInt64 = .random(in: .min ... .max)
    ) {
        let hex = String(random, radix: 16)
        let padded = String(repeating: "0", count: 16 - hex.count) + hex
        fields = ["", project, location, String(createdAt), padded, mediaMode.letter, ""]
        self.mediaMode = mediaMode
        text = "\(mediaMode.prefix)_\(Base64.encodeURL(Array(fields.joined(separator: "~").utf8)))"
    }

    /// Reads an id of any server of the dialect.
    package init(parsing text: some StringProtocol) throws(SessionIDFault) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        guard let mode = MediaMode.allCases.first(where: { text.hasPrefix("\($0.prefix)_") }) else { throw .prefix }
        guard let bytes = Base64.decode(text.dropFirst(2)), let content = String(validating: bytes, as: UTF8.self),
            !text.contains("=")
        else { throw .encoding }
        let fields = content.split(
            separator: "~", maxSplits: Self.largestFieldCount, omittingEmptySubsequences: false)
        guard fields.count <= Self.largestFieldCount else { throw .fields }
        guard fields.contains(where: OpenTokProject.isKey) else { throw .fields }
        self.text = String(text)
        self.mediaMode = mode
        self.fields = fields.map(String.init)
    }

    /// Whether it is a session of that project: the only thing that all servers' ids agree in.
    package func belongs(to project: String) -> Bool { OpenTokProject.isKey(project) && fields.contains(project) }
}

extension OpenTokSessionID: CustomStringConvertible {
    package var description: String { text }
}

/// Why a text is no session id.
package enum SessionIDFault: Error, Hashable, CustomStringConvertible {
    case tooLong
    case prefix
    case encoding
    case fields

    package var description: String {
        switch self {
        case .tooLong: "session id: send at most \(OpenTokSessionID.longest) bytes"
        case .prefix: "session id: it begins with neither 1_ nor 2_; send one that session creation has answered"
        case .encoding:
            "session id: what follows the prefix is no base64url; send one that session creation has answered"
        case .fields: "session id: it names no API key; send one that session creation has answered"
        }
    }
}
