/// Who asks: a project, proven by a short-lived JSON web token in `X-OPENTOK-AUTH` or, as older SDKs do, by key and secret in
/// `X-TB-PARTNER-AUTH`.
package enum RESTAuthentication {
    /// Seconds from `iat` to `exp` at most.
    package static let longestLifetime: Int64 = 300
    /// Bytes of a field with credentials that are read at all.
    package static let longest = 4096

    /// What a token vouches for.
    package enum Level: String, Hashable, Sendable, CaseIterable {
        case project, account
    }

    /// The API key of the project that asks.
    ///
    /// - Parameters:
    ///   - level: what the method asks for.
    ///   - secrets: API key to secret.
    ///   - now: seconds since 1970.
    package static func project(
        of request: RESTRequest, level: Level = .project, secrets: [String: String], now: Int64
    ) throws(RESTFault) -> String {
        if let token = request[header: "x-opentok-auth"] {
            return try verify(token, level: level, secrets: secrets, now: now)
        }
        guard let pair = request[header: "x-tb-partner-auth"] else {
            throw .credentials("send a token in X-OPENTOK-AUTH, signed with the API secret")
        }
        return try verify(pair: pair, secrets: secrets)
    }

    /// The value of `X-OPENTOK-AUTH` for a request.
    package static func header(
        for project: OpenTokProject, level: Level = .project, now: Int64, lifetime: Int64 = 180,
        tokenID: String = String(UInt64.random(in: .min ... .max), radix: 16)
    ) -> String {
        JSONWebToken.sign(
            [
                "iss": .string(project.key), "ist": .string(level.rawValue), "iat": .integer(now),
                "exp": .integer(now + lifetime), "jti": .string(tokenID),
            ], secret: project.secret)
    }

    private static func verify(
        _ text: String, level: Level, secrets: [String: String], now: Int64
    ) throws(RESTFault) -> String {
        guard text.utf8.count <= longest, let token = try? JSONWebToken(text) else {
            throw .credentials("X-OPENTOK-AUTH: no JSON web token with HS256 of at most \(longest) bytes")
        }
        guard case .string(let key) = token.claims["iss"], let secret = secrets[key] else {
            throw .credentials("X-OPENTOK-AUTH: iss is not the API key of a project of this server")
        }
        guard token.isSigned(with: secret) else {
            throw .credentials("X-OPENTOK-AUTH: the signature does not match; sign with the API secret of the project")
        }
        guard token.claims["ist"] == .string(level.rawValue) else {
            throw .credentials("X-OPENTOK-AUTH: ist must be \(level.rawValue)")
        }
        try checkTimes(of: token, now: now)
        return key
    }

    private static func checkTimes(of token: JSONWebToken, now: Int64) throws(RESTFault) {
        let times: ClosedRange<Int64> = 0...1 << 48
        guard let issued = token.seconds("iat"), let expires = token.seconds("exp"), times.contains(issued),
            times.contains(expires)
        else { throw .credentials("X-OPENTOK-AUTH: iat and exp must be seconds since 1970") }
        guard expires - issued <= longestLifetime else {
            throw .credentials("X-OPENTOK-AUTH: exp is more than \(longestLifetime) seconds after iat")
        }
        guard issued - OpenTokToken.leeway <= now else {
            throw .credentials("X-OPENTOK-AUTH: iat is in the future; compare the clocks")
        }
        guard now < expires + OpenTokToken.leeway else {
            throw .credentials("X-OPENTOK-AUTH: the token has expired; make one for each request")
        }
    }

    private static func verify(pair: String, secrets: [String: String]) throws(RESTFault) -> String {
        guard pair.utf8.count <= longest, let colon = pair.firstIndex(of: ":") else {
            throw .credentials("X-TB-PARTNER-AUTH: send the API key, a colon and the API secret")
        }
        let key = String(pair[..<colon])
        let secret = pair[pair.index(after: colon)...]
        guard let expected = secrets[key], MessageCode.isSame(Array(secret.utf8), Array(expected.utf8)) else {
            throw .credentials("X-TB-PARTNER-AUTH: key and secret are not those of a project of this server")
        }
        return key
    }
}
