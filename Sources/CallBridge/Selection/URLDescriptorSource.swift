import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A JSON document at any `http` or `https` URL, in the form of `FileDescriptorSource`'s. It is fetched for each call.
public struct URLDescriptorSource: CallDescriptorSource {
    private let url: String
    private let authorization: String?

    /// - Parameters:
    ///   - url: of the document.
    ///   - authorization: the `Authorization` field to send, `Bearer ...` for example. Kept out of logs.
    public init(url: String, authorization: String? = nil) {
        self.url = url
        self.authorization = authorization
    }

    /// Fetches the document. Throws `CallError` that names its URL.
    public func descriptor(_ request: DescriptorRequest) async throws -> CallDescriptor {
        guard let parsed = URL(string: url), ["http", "https"].contains(parsed.scheme ?? ""), parsed.host != nil else {
            throw unusable("that is no URL; write it as http://host/path or https://host/path")
        }
        var web = URLRequest(url: parsed, timeoutInterval: 10)
        if let authorization { web.setValue(authorization, forHTTPHeaderField: "Authorization") }
        guard let (status, data) = try await DescriptorDownload.fetch(web, from: "the server of \(url)") else {
            throw unusable("the answer is none of HTTP, or too large")
        }
        guard status == 200 else { throw unusable("HTTP \(status): \(DescriptorDownload.excerpt(data))") }
        return try DescriptorDocument(place: "the document \(url)", data: data).descriptor(request)
    }

    private func unusable(_ why: String) -> CallError {
        CallError(.configuration, .configurationUnavailable, "no call descriptor at \"\(url)\": \(why)")
    }
}
