import Foundation
import Synchronization

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// How we identify ourselves to a configuration service. Kept out of logs.
public struct ServiceCredentials: Sendable, Hashable {
    let key: String
    let secret: String

    /// An API key and its secret.
    public static func apiKey(_ key: String, secret: String) -> ServiceCredentials {
        ServiceCredentials(key: key, secret: secret)
    }

    var authorization: String { "Basic " + Data("\(key):\(secret)".utf8).base64EncodedString() }
}

/// Asks a server's configuration service: `GET <server>/callbridge/v1/descriptor?conversation=...&identity=...`.
public struct ServerDescriptorSource: CallDescriptorSource {
    /// Answers are small; a larger one is somebody else's.
    private static let maximumAnswer = 256 * 1024

    private let server: String
    private let credentials: ServiceCredentials

    /// - Parameter server: `http://` or `https://` URL of the service.
    public init(server: String, credentials: ServiceCredentials) {
        self.server = server
        self.credentials = credentials
    }

    /// The server's answer. Throws `CallError`.
    public func descriptor(conversation: String, identity: String?) async throws -> CallDescriptor {
        let url = try requestURL(conversation: conversation, identity: identity)
        var request = URLRequest(url: url, timeoutInterval: 10)
        request.setValue(credentials.authorization, forHTTPHeaderField: "Authorization")
        let (data, response) = try await fetch(request)
        guard let status = (response as? HTTPURLResponse)?.statusCode, data.count <= Self.maximumAnswer else {
            throw violation("its answer is no descriptor")
        }
        switch status {
        case 200: break
        case 401, 403:
            throw refusal("HTTP \(status)")
        default: throw violation("it answered HTTP \(status)")
        }
        do {
            return try JSONDecoder().decode(CallDescriptor.self, from: data)
        } catch {
            throw violation("its descriptor can't be read: \(DescriptorDecoding.explain(error))")
        }
    }

    private func requestURL(conversation: String, identity: String?) throws(CallError) -> URL {
        guard var parts = URLComponents(string: server), let scheme = parts.scheme, ["http", "https"].contains(scheme),
            parts.host?.isEmpty == false
        else {
            throw CallError(
                .configuration, .configurationUnavailable,
                "\"\(server)\" is no server URL; write it as http://host:port or https://host")
        }
        parts.path =
            (parts.path.hasSuffix("/") ? String(parts.path.dropLast()) : parts.path) + "/callbridge/v1/descriptor"
        var items = [URLQueryItem(name: "conversation", value: conversation)]
        if let identity { items.append(URLQueryItem(name: "identity", value: identity)) }
        parts.queryItems = items
        // A raw plus means a blank to many servers.
        parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
        guard let url = parts.url else {
            throw CallError(.configuration, .configurationUnavailable, "\"\(server)\" is no server URL")
        }
        return url
    }

    private func fetch(_ request: URLRequest) async throws(CallError) -> (Data, URLResponse) {
        do {
            return try await Self.load(request).get()
        } catch {
            throw CallError(
                .network, .unreachable,
                "the configuration service at \(server) does not answer (\(error.localizedDescription)); is it running?"
            )
        }
    }

    /// The answer, or an error after twelve seconds at the latest: a server's demand for other credentials can leave
    /// the request of Foundation on Linux waiting for ever.
    private static func load(_ request: URLRequest) async -> Result<(Data, URLResponse), any Error> {
        await withCheckedContinuation { continuation in
            let answer = PendingAnswer(continuation)
            let task = URLSession.shared.dataTask(with: request) { data, response, error in
                if let data, let response {
                    answer.give(.success((data, response)))
                } else {
                    answer.give(.failure(error ?? URLError(.badServerResponse)))
                }
            }
            task.resume()
            Task {
                try? await Task.sleep(for: .seconds(12))
                answer.give(.failure(URLError(.timedOut)))
                task.cancel()
            }
        }
    }

    private func refusal(_ what: String) -> CallError {
        CallError(
            .configuration, .providerRefused,
            "the configuration service at \(server) refused the API key (\(what)); check key and secret")
    }

    private func violation(_ what: String) -> CallError {
        CallError(
            .provider, .protocolViolation,
            "the configuration service at \(server) can't be used: \(what); is this the right server?")
    }
}

/// Resumes a continuation with the first of several answers.
private final class PendingAnswer: Sendable {
    typealias Answer = Result<(Data, URLResponse), any Error>
    private let continuation: Mutex<CheckedContinuation<Answer, Never>?>

    init(_ continuation: CheckedContinuation<Answer, Never>) { self.continuation = Mutex(continuation) }

    func give(_ answer: sending Answer) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(returning: answer)
    }
}
