/// What a session is asked by HTTP, without path and credentials: those are the shell's.
package struct WHIPRequest: Sendable, Hashable {
    package var method: String
    /// `Content-Type`, with parameters or without.
    package var contentType: String?
    package var accept: String?
    package var ifMatch: String?
    package var body: [UInt8]

    package init(
        method: String, contentType: String? = nil, accept: String? = nil, ifMatch: String? = nil, body: [UInt8] = []
    ) {
        self.method = method
        self.contentType = contentType
        self.accept = accept
        self.ifMatch = ifMatch
        self.body = body
    }

    /// The media type alone, in lower case.
    var mediaType: String { Self.mediaType(contentType ?? "") }

    /// Whether an answer of that type is wanted (RFC 9110 section 12.5.1); who says nothing takes everything.
    func accepts(_ type: String) -> Bool {
        guard let accept, !accept.isEmpty else { return true }
        let family = type.split(separator: "/")[0] + "/*"
        return accept.split(separator: ",").contains { range in
            let name = Self.mediaType(String(range))
            return (name == type || name == family || name == "*/*") && !Self.isRefusal(range)
        }
    }

    /// A quality of 0.
    private static func isRefusal(_ range: Substring) -> Bool {
        range.split(separator: ";").dropFirst().contains { parameter in
            let parts = parameter.filter { $0 != " " && $0 != "\t" }.split(separator: "=")
            return parts.count == 2 && parts[0].lowercased() == "q" && Double(parts[1]) == 0
        }
    }

    private static func mediaType(_ text: String) -> String {
        let name = text.split(separator: ";", omittingEmptySubsequences: false).first ?? ""
        return name.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}

/// The answer to a request.
package struct WHIPResponse: Sendable, Hashable {
    package var status: Int
    /// Empty for none.
    package var contentType = ""
    /// By name.
    package var fields: [String: String] = [:]
    package var body = ""

    package init(_ status: Int, fields: [String: String] = [:]) {
        self.status = status
        self.fields = fields
    }

    /// Says what is wrong with the request, and what would be right.
    package init(_ status: Int, _ text: String, fields: [String: String] = [:]) {
        self.init(status, fields: fields)
        contentType = "text/plain; charset=utf-8"
        body = text + "\n"
    }

    package static let noSession = WHIPResponse(
        404, "there is no such session; it has ended, or never was: POST an offer to begin another")

    /// RFC 9725 section 4.2: these methods are kept for later.
    package static func notAllowed(_ method: String, allowed: String) -> WHIPResponse {
        WHIPResponse(405, "\(method.prefix(32)) means nothing here; use \(allowed)", fields: ["Allow": allowed])
    }
}
