import CallBridge
import OpenTokSignalling

/// Who is behind a connection: the application's server has said so in the connection data of the token.
///
/// A JSON object names `identity` and, where it likes, `name`; any other text is the identity. Who has no data is known by
/// the connection's id.
struct ConnectionPerson: Hashable {
    /// Characters of an identity or a name that are read.
    private static let longest = 256

    var identity: String
    var name: String

    init(_ connection: RaptorConnection) {
        let data = connection.data
        if data.first == "{", let json = try? JSON(parsing: Array(data.utf8)),
            let identity = Self.text(json["identity"])
        {
            self.identity = identity
            name = Self.text(json["name"]) ?? identity
        } else {
            identity = data.isEmpty ? connection.id : String(data.prefix(Self.longest))
            name = identity
        }
    }

    private static func text(_ json: JSON?) -> String? {
        guard case .string(let text)? = json, !text.isEmpty else { return nil }
        return String(text.prefix(longest))
    }
}

extension Participant {
    init(_ connection: RaptorConnection, isLocal: Bool = false) {
        let person = ConnectionPerson(connection)
        self.init(
            id: connection.id, identity: person.identity, name: person.name, metadata: connection.data, isLocal: isLocal
        )
    }
}
