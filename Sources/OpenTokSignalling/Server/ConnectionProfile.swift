/// What connection data say of somebody: a JSON object with `identity`, `name` and `metadata`, or else the identity itself.
package struct ConnectionProfile: Hashable, Sendable {
    /// Nil where nothing is said, or too much.
    package var identity: String?
    package var name: String?
    package var metadata: String?

    /// - Parameter limit: bytes of an identity and of a name.
    package init(data: String, limit: Int) {
        guard case .object(let members)? = try? JSON(parsing: Array(data.utf8)) else {
            identity = Self.bounded(data, limit)
            return
        }
        identity = Self.text(members["identity"]).flatMap { Self.bounded($0, limit) }
        name = Self.text(members["name"]).flatMap { Self.bounded($0, limit) }
        metadata = Self.text(members["metadata"])
    }

    package init(identity: String, name: String = "", metadata: String = "") {
        self.identity = identity
        self.name = name.isEmpty ? nil : name
        self.metadata = metadata.isEmpty ? nil : metadata
    }

    /// As connection data have it; without the metadata, and then without the name, where it would be longer than a token's
    /// may be.
    package var data: String {
        var shorter = self
        for part in [\Self.metadata, \Self.name] {
            let text = shorter.text
            guard text.count > OpenTokToken.longestData else { return text }
            shorter[keyPath: part] = nil
        }
        return shorter.text
    }

    private var text: String {
        let json = JSON.object([
            "identity": identity.map(JSON.string), "name": name.map(JSON.string),
            "metadata": metadata.map(JSON.string),
        ])
        return String(decoding: json.bytes, as: UTF8.self)
    }

    private static func text(_ json: JSON?) -> String? {
        if case .string(let text)? = json { text } else { nil }
    }

    private static func bounded(_ text: String, _ limit: Int) -> String? {
        text.isEmpty || text.utf8.count > limit ? nil : text
    }
}
