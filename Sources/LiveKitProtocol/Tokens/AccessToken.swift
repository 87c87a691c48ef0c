import Foundation

/// Mints and verifies LiveKit access tokens: JSON Web Tokens signed with HMAC-SHA256 (RFC 7519, RFC 7515).
package enum AccessToken {
    /// How far the clocks of two machines may differ, in seconds.
    package static let leeway: Double = 60
    /// How long the SDKs' own tokens are valid, in seconds.
    package static let defaultLifetime: Int64 = 6 * 3600

    /// Bytes of a token. What is signed must be read before the signature can be checked: more is not read at all.
    package static let longest = 128 * 1024

    /// The compact form of `claims`, signed with the secret of the key that they name as issuer.
    package static func mint(_ claims: TokenClaims, secret: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        // Strings, numbers and maps of strings: this cannot fail to encode.
        let payload = (try? encoder.encode(claims)) ?? Data()
        let signed = "\(header).\(Base64.encodeURL(payload))"
        return "\(signed).\(Base64.encodeURL(signature(of: signed, secret: secret)))"
    }

    /// A token with which `identity` may take part in `room` for `lifetime` seconds from `now` (seconds since 1970).
    package static func join(
        room: String, identity: String, name: String? = nil, key: String, secret: String, now: Int64,
        lifetime: Int64 = defaultLifetime
    ) -> String {
        var claims = TokenClaims(issuer: key, subject: identity, notBefore: now, expires: now + lifetime)
        claims.name = name
        claims.video = .join(room: room)
        return mint(claims, secret: secret)
    }

    /// The claims of a token whose signature and times hold at `now` (seconds since 1970, a minute of leeway).
    ///
    /// - Parameter secrets: API key to secret.
    package static func verify(
        _ token: String, secrets: [String: String], now: Double
    ) throws(AccessTokenError) -> TokenClaims {
        guard token.utf8.count <= longest else { throw .notAToken }
        let parts = token.split(separator: ".", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 3, let signature = Base64.decode(parts[2]) else { throw .notAToken }
        let header: Header = try decode(parts[0])
        let claims: TokenClaims = try decode(parts[1])
        guard let secret = secrets[claims.issuer] else { throw .unknownKey(claims.issuer) }
        guard header.alg == "HS256" else { throw .unsupportedAlgorithm }
        let expected = self.signature(of: "\(parts[0]).\(parts[1])", secret: secret)
        guard HS256.equal(signature, expected) else { throw .badSignature }
        if let expires = claims.expires, expires + leeway < now { throw .expired }
        if let notBefore = claims.notBefore, notBefore - leeway > now { throw .notYetValid }
        return claims
    }

    /// The claims without any check, to show them to a human.
    package static func inspect(_ token: String) throws(AccessTokenError) -> TokenClaims {
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3 else { throw .notAToken }
        return try decode(parts[1])
    }

    /// Compares two secrets without telling by its time where they differ.
    package static func isSame(_ a: String, _ b: String) -> Bool { HS256.equal(Array(a.utf8), Array(b.utf8)) }

    private struct Header: Decodable {
        var alg: String
    }

    private static let header = Base64.encodeURL(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

    private static func signature(of text: String, secret: String) -> [UInt8] {
        HS256.authenticate(Array(text.utf8), secret: Array(secret.utf8))
    }

    private static func decode<Value: Decodable>(_ part: Substring) throws(AccessTokenError) -> Value {
        guard let bytes = Base64.decode(part), let value = try? JSONDecoder().decode(Value.self, from: Data(bytes))
        else {
            throw .notAToken
        }
        return value
    }
}
