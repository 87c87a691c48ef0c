import Foundation
import WebClient

/// A JSON document at any `http` or `https` URL, in the form of `FileDescriptorSource`'s. It is fetched for each call.
public struct URLDescriptorSource: CallDescriptorSource {
    private let url: String
    private let authorization: String?
    private var trust: ServerTrust

    /// - Parameters:
    ///   - url: of the document.
    ///   - authorization: the `Authorization` field to send, `Bearer ...` for example. Kept out of logs.
    ///   - trust: whose certificates are believed.
    public init(url: String, authorization: String? = nil, trust: ServerTrust = .system) {
        self.url = url
        self.authorization = authorization
        self.trust = trust
    }

    /// Fetches the document. Throws `CallError` that names its URL.
    public func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        guard let parts = URLComponents(string: url), ["http", "https"].contains(parts.scheme ?? ""), parts.host != nil
        else { throw unusable("that is no URL; write it as http://host/path or https://host/path") }
        var web = WebRequest(.get, parts, trust: trust.roots)
        if let authorization { web.headers.append(("Authorization", authorization)) }
        let answer = try await DescriptorDownload.fetch(web, from: "the server of \(url)")
        guard answer.status == 200 else {
            throw unusable("HTTP \(answer.status): \(DescriptorDownload.excerpt(answer.body, without: secrets))")
        }
        return try DescriptorDocument(place: "the document \(url)", data: Data(answer.body)).descriptor(request)
    }

    private var secrets: [String] {
        authorization.map { $0.split(separator: " ").map(String.init) + [$0] } ?? []
    }

    private func unusable(_ why: String) -> CallError {
        CallError(.configuration, .configurationUnavailable, "no call descriptor at \"\(url)\": \(why)")
    }
}

extension URLDescriptorSource: TrustingDescriptorSource {
    func filled(from other: ServerTrust) -> any CallDescriptorSource {
        var source = self
        source.trust = trust.filled(from: other)
        return source
    }
}
