import CallModel

/// Why an access token was refused. `description` is the body of LiveKit's 401 answer; it never contains the token.
package enum AccessTokenError: Error, Hashable, CustomStringConvertible {
    /// Not three base64url parts, of which two are JSON.
    case notAToken
    case unknownKey(String)
    case unsupportedAlgorithm
    case badSignature
    case expired
    case notYetValid

    package var description: String {
        switch self {
        case .notAToken: "invalid authorization token"
        case .unknownKey(let key): "invalid API key: \(key.printable(limit: 64))"
        case .unsupportedAlgorithm: "invalid token: unexpected signature algorithm, only HS256 is accepted"
        case .badSignature: "invalid token: error in cryptographic primitive"
        case .expired: "invalid token: token is expired (exp)"
        case .notYetValid: "invalid token: token not valid yet (nbf)"
        }
    }
}
