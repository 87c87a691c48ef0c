public import CallBridge
public import ClientModel
import AccessPolicy
import Foundation
import WebClient

/// The application's own server: `GET` gives a token as plain text, or as `{"token": "...", "expiresIn": seconds}`.
public struct HTTPTokenSource: TokenSource {
    private let url: String
    private let authorization: String?
    private let trust: ServerTrust
    private let allowedURLs: [String]

    /// - Parameters:
    ///   - url: `http://` or `https://`.
    ///   - authorization: the value of the `Authorization` field; nil for none.
    ///   - trust: whose certificates are believed.
    ///   - allowedURLs: patterns of where else the server may send us (`URLPattern`); its own host is allowed.
    public init(
        url: String, authorization: String? = nil, trust: ServerTrust = .system, allowedURLs: [String] = []
    ) {
        self.url = url
        self.authorization = authorization
        self.trust = trust
        self.allowedURLs = allowedURLs
    }

    /// The server's answer. Throws `ClientError`, which names the URL without its query.
    public func token() async throws -> ClientToken {
        guard let parts = URLComponents(string: url), (try? WebAddress(parts)) != nil else {
            throw ClientError(.authorization, "the token URL is none; write it as https://host/path")
        }
        let place = "the token server \(parts.scheme ?? "")://\(parts.host ?? "")\(parts.path)"
        var request = WebRequest(.get, parts, trust: try policed(place).roots)
        if let authorization { request.headers = [("Authorization", authorization)] }
        let answer: WebAnswer
        do { answer = try await WebClient.send(request, maximumBody: 64 * 1024) } catch {
            throw ClientError(.authorization, "\(place) gives no token: \(error)")
        }
        guard answer.status == 200 else {
            throw ClientError(.authorization, "\(place) gives no token: it answered HTTP \(answer.status)")
        }
        return try TokenText.read(Data(answer.body), from: place)
    }

    /// The trust with a policy: the host of the URL, and what was allowed beside it.
    private func policed(_ place: String) throws(ClientError) -> ServerTrust {
        do {
            let own = try CanonicalURL(url)
            return trust.allowing(try URLPolicy(base: "\(own.scheme)://\(own.authority)", patterns: allowedURLs))
        } catch { throw ClientError(.authorization, "\(place) is not asked: \(error)") }
    }
}
