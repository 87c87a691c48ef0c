/// The claims of a LiveKit access token. Times are seconds since 1970.
package struct TokenClaims: Codable, Hashable, Sendable {
    /// The API key; it names the secret that signs.
    package var issuer: String
    /// The participant's identity.
    package var subject: String?
    /// Some minters put the identity here.
    package var tokenID: String?
    package var notBefore: Double?
    package var expires: Double?
    package var issuedAt: Double?
    package var name: String?
    package var metadata: String?
    package var attributes: [String: String]?
    /// `standard`, `ingress`, `egress`, `sip`, `agent`, `connector` or `bridge`.
    package var kind: String?
    package var video: VideoGrant?
    /// Base64 of the SHA-256 of the request body that a webhook's token vouches for.
    package var sha256: String?
    /// A `RoomConfiguration` as protobuf JSON, for the room that this join creates.
    package var roomConfig: JSONValue?

    enum CodingKeys: String, CodingKey {
        case issuer = "iss"
        case subject = "sub"
        case tokenID = "jti"
        case notBefore = "nbf"
        case expires = "exp"
        case issuedAt = "iat"
        case name, metadata, attributes, kind, video, sha256, roomConfig
    }

    package init(issuer: String, subject: String? = nil, notBefore: Int64? = nil, expires: Int64? = nil) {
        self.issuer = issuer
        self.subject = subject
        self.notBefore = notBefore.map(Double.init)
        self.expires = expires.map(Double.init)
    }

    /// The participant's identity; empty where the token names none.
    package var identity: String {
        if let subject, !subject.isEmpty { return subject }
        return tokenID ?? ""
    }
}
