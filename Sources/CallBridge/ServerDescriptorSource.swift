import Foundation
import WebClient

/// How we identify ourselves to a configuration service. Kept out of logs.
public struct ServiceCredentials: Sendable, Hashable {
    let key: String
    let secret: String

    /// An API key and its secret.
    public static func apiKey(_ key: String, secret: String) -> ServiceCredentials {
        ServiceCredentials(key: key, secret: secret)
    }

    var authorization: String { "Basic " + encoded }
    /// What a server that we sent it to may repeat.
    var secrets: [String] { [secret, encoded] }

    private var encoded: String { Data("\(key):\(secret)".utf8).base64EncodedString() }
}

/// Asks a server's configuration service: `GET <server>/callbridge/v1/descriptor?conversation=...&identity=...`.
public struct ServerDescriptorSource: CallDescriptorSource {
    private let server: String
    private let credentials: ServiceCredentials
    private var trust: ServerTrust

    /// - Parameters:
    ///   - server: `http://` or `https://` URL of the service.
    ///   - credentials: how we identify ourselves to it.
    ///   - trust: whose certificates are believed.
    public init(server: String, credentials: ServiceCredentials, trust: ServerTrust = .system) {
        self.server = server
        self.credentials = credentials
        self.trust = trust
    }

    /// The server's answer. Throws `CallError`.
    public func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        var web = WebRequest(.get, try requestURL(request), trust: trust.roots)
        web.headers = [("Authorization", credentials.authorization)]
        let answer = try await DescriptorDownload.fetch(web, from: "the configuration service at \(server)")
        switch answer.status {
        case 200: break
        case 401, 403: throw refusal("the API key (HTTP \(answer.status)); check key and secret")
        case 404, 409:
            throw refusal("the call: \(DescriptorDownload.excerpt(answer.body, without: credentials.secrets))")
        default:
            throw violation(
                "it answered HTTP \(answer.status): \(DescriptorDownload.excerpt(answer.body, without: credentials.secrets))"
            )
        }
        do {
            return try JSONDecoder().decode(CallDescriptor.self, from: Data(answer.body))
        } catch {
            throw violation("its descriptor can't be read: \(DescriptorDecoding.explain(error))")
        }
    }

    private func requestURL(_ request: DescriptorRequest) throws(CallError) -> URLComponents {
        guard var parts = URLComponents(string: server), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "\"\(server)\" is no server URL; write it as http://host:port or https://host")
        }
        parts.path =
            (parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path) + "/callbridge/v1/descriptor"
        parts.queryItems = request.queryItems
        // A raw plus means a blank to many servers.
        parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
        return parts
    }

    private func refusal(_ what: String) -> CallError {
        CallError(
            .configuration, .providerRefused, "the configuration service at \(server) refused \(what)")
    }

    private func violation(_ what: String) -> CallError {
        CallError(
            .provider, .protocolViolation,
            "the configuration service at \(server) can't be used: \(what); is this the right server?")
    }
}

extension DescriptorRequest {
    fileprivate var queryItems: [URLQueryItem] {
        var items = [URLQueryItem(name: "conversation", value: conversation)]
        if let identity { items.append(URLQueryItem(name: "identity", value: identity)) }
        if let area { items.append(URLQueryItem(name: "area", value: area)) }
        if let provider { items.append(URLQueryItem(name: "provider", value: provider.rawValue)) }
        for failure in failures {
            items.append(
                URLQueryItem(name: "failed", value: "\(failure.provider.rawValue):\(failure.code.rawValue)"))
        }
        return items
    }
}

extension ServerDescriptorSource: TrustingDescriptorSource {
    func filled(from other: ServerTrust) -> any CallDescriptorSource {
        var source = self
        source.trust = trust.filled(from: other)
        return source
    }
}
