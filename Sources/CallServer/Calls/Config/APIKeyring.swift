import LiveKitProtocol
import NIOHTTP1

/// Checks an API key and its secret, sent as HTTP's basic credentials.
struct APIKeyring: Sendable {
    enum Verdict {
        case known(key: String, secret: String)
        case refused(HTTPResponse)
    }

    /// API key to secret.
    let keys: [String: String]

    func check(_ request: HTTPRequest) -> Verdict {
        guard let (key, secret) = request.basicCredentials else { return .refused(Self.unauthorized) }
        // No demand for other credentials: there are none to ask a user for.
        guard isKnown(key, secret) else {
            return .refused(HTTPResponse(.forbidden, "the API key or its secret is wrong"))
        }
        return .known(key: key, secret: secret)
    }

    private static let unauthorized: HTTPResponse = {
        var response = HTTPResponse(.unauthorized, "an API key and its secret are needed, as HTTP basic credentials")
        response.fields["WWW-Authenticate"] = #"Basic realm="callbridge", charset="UTF-8""#
        return response
    }()

    // An unknown key is compared with as much as a wrong secret.
    private func isKnown(_ key: String, _ secret: String) -> Bool {
        let expected = keys[key]
        return AccessToken.isSame(expected ?? "-" + secret.dropFirst(), secret) && expected != nil
    }
}
