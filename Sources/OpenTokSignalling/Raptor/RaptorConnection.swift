/// A client in a session, as others see it.
package struct RaptorConnection: Hashable, Sendable {
    /// Bytes of connection data: 1,000 characters of up to four.
    static let longestData = 4 * OpenTokToken.longestData

    package var id: String
    /// Milliseconds since 1970.
    package var creationTime: Int64
    /// From the token.
    package var data: String
    package var permissions: OpenTokPermissions

    package init(id: String, creationTime: Int64, data: String = "", permissions: OpenTokPermissions) {
        self.id = id
        self.creationTime = creationTime
        self.data = data
        self.permissions = permissions
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        id = try fields.identifier("id")
        creationTime = try fields.integer("creationTime", in: 0...1 << 52)
        data = try fields.optionalText("data", limit: Self.longestData) ?? ""
        permissions = OpenTokPermissions(wireNames: try fields.texts("permissions", limit: 32))
    }

    var json: JSON {
        [
            "id": .string(id), "creationTime": .integer(creationTime), "data": .string(data),
            "permissions": .strings(permissions.wireNames),
        ]
    }
}

/// Why a connection or a stream is gone; also why a session is over for a client.
package enum RaptorReason: String, Hashable, Sendable, CaseIterable {
    case clientDisconnected, forceDisconnected, networkDisconnected
    /// Of streams alone.
    case forceUnpublished, mediaStopped

    init(_ fields: JSONFields) throws(MessageFault) {
        self = try fields.optionalWord("reason") ?? .clientDisconnected
    }
}

/// What a client says of itself when it joins.
package struct RaptorJoin: Hashable, Sendable {
    package var userAgent: String
    package var clientVersion: String
    /// `renegotiation` and the like.
    package var capabilities: [String]

    package init(userAgent: String = "", clientVersion: String = "", capabilities: [String] = []) {
        self.userAgent = userAgent
        self.clientVersion = clientVersion
        self.capabilities = capabilities
    }

    init(_ fields: JSONFields) throws(MessageFault) {
        userAgent = try fields.optionalText("userAgent", limit: 1024) ?? ""
        clientVersion = try fields.optionalText("clientVersion") ?? ""
        capabilities = try fields.texts("capabilities", limit: 32)
    }

    var json: JSON {
        [
            "userAgent": .string(userAgent), "clientVersion": .string(clientVersion),
            "capabilities": .strings(capabilities),
        ]
    }
}
