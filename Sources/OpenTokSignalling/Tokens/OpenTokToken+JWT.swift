/// The claims: `iss` (API key), `ist` (`project`), `iat`, `exp`, `nonce`, `scope` (`session.connect`), `session_id`, `role`,
/// and where there are any, `connection_data` and `initial_layout_class_list`.
extension OpenTokToken {
    private static let scope = "session.connect"

    func jwt(secret: String) -> String {
        let claims = JSON.object([
            "iss": .string(project), "ist": "project", "iat": .integer(created), "exp": .integer(expires),
            "nonce": .integer(nonce), "scope": .string(Self.scope), "session_id": .string(sessionID),
            "role": .string(role.rawValue), "connection_data": connectionData.isEmpty ? nil : .string(connectionData),
            "initial_layout_class_list": layoutClasses.isEmpty ? nil : .string(layoutClassList),
        ])
        return Self.sign(claims: claims, secret: secret)
    }

    /// A token of any claims.
    package static func sign(claims: JSON, secret: String) -> String { JSONWebToken.sign(claims, secret: secret) }

    init(jwt text: String, secrets: [String: String]) throws(OpenTokTokenError) {
        let token: JSONWebToken
        do { token = try JSONWebToken(text) } catch { throw error == .algorithm ? .unsupportedAlgorithm : .notAToken }
        let project = try Self.text("iss", of: token)
        let secret = try Self.secret(of: project, in: secrets)
        guard token.isSigned(with: secret) else { throw .badSignature }
        if let scope = token.claims["scope"], scope != .string(Self.scope) { throw .wrongScope }
        guard token.claims["ist"] == nil || token.claims["ist"] == "project" else { throw .claim("ist") }
        guard let role = OpenTokRole(rawValue: try Self.text("role", of: token, or: OpenTokRole.publisher.rawValue))
        else { throw .unknownRole }
        guard let created = token.seconds("iat") else { throw .claim("iat") }
        guard let expires = token.seconds("exp") else { throw .claim("exp") }
        self.init(
            project: project, sessionID: try Self.text("session_id", of: token), role: role, created: created,
            expires: expires, connectionData: try Self.text("connection_data", of: token, or: ""),
            layoutClasses: Self.layoutClasses(in: try Self.text("initial_layout_class_list", of: token, or: "")),
            nonce: token.claims["nonce"]?.whole ?? 0)
    }

    private static func text(
        _ name: String, of token: JSONWebToken, or standard: String? = nil
    ) throws(OpenTokTokenError) -> String {
        switch token.claims[name] {
        case .string(let text): return text
        case nil:
            guard let standard else { throw .claim(name) }
            return standard
        default: throw .claim(name)
        }
    }
}
