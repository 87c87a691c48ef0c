/// The path that an archive is fetched from, without credentials and for a short time: whoever has it may fetch the file.
///
///     /archive/KEY/ID/archive.webm?expires=SECONDS&signature=...
package struct ArchiveLink: Hashable, Sendable {
    /// Seconds that a link holds.
    package static let lifetime: Int64 = 600
    package static let prefix = "/archive/"
    /// Bytes of a path and a query that are read at all.
    private static let longest = 512

    package var project: String
    package var archive: String
    package var filename: String

    package init(project: String, archive: String, filename: String) {
        self.project = project
        self.archive = archive
        self.filename = filename
    }

    /// Path and query of a link that begins to hold now.
    ///
    /// - Parameter now: seconds since 1970.
    package func signed(secret: String, now: Int64) -> String {
        let expires = now + Self.lifetime
        return "\(path)?expires=\(expires)&signature=\(signature(expires, secret))"
    }

    /// The link of a request; nil for one that nobody has signed, or that holds no longer.
    ///
    /// - Parameter secrets: API key to secret.
    package init?(path: String, query: String, secrets: [String: String], now: Int64) {
        guard path.utf8.count <= Self.longest, query.utf8.count <= Self.longest, path.hasPrefix(Self.prefix) else {
            return nil
        }
        let parts = path.dropFirst(Self.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        let fields = Dictionary((PercentEncoding.decodeForm(query, limit: 8) ?? []).map { ($0.name, $0.value) }) { $1 }
        guard parts.count == 3, let secret = secrets[String(parts[0])], let signature = fields["signature"],
            let expires = fields["expires"].flatMap({ Int64($0) }), (now...now + Self.lifetime).contains(expires)
        else { return nil }
        self.init(project: String(parts[0]), archive: String(parts[1]), filename: String(parts[2]))
        let expected = self.signature(expires, secret)
        guard MessageCode.isSame(Array(signature.utf8), Array(expected.utf8)) else { return nil }
    }

    private var path: String { "\(Self.prefix)\(project)/\(archive)/\(filename)" }

    private func signature(_ expires: Int64, _ secret: String) -> String {
        let code = MessageCode.sha256("archive link\n\(path)\n\(expires)".utf8, secret: secret)
        return Base64.encodeURL(Array(code.prefix(18)))
    }
}
