/// A request as a service sees it. It stays out of logs: query and body carry keys.
package struct DeskHTTPRequest: Sendable, Hashable {
    /// Upper case.
    package var method: String
    /// Percent-encoded, without the query.
    package var path: String
    /// What follows the question mark.
    package var query: String
    /// The field `Content-Type`.
    package var contentType: String
    /// The field that signs a webhook.
    package var signature: String?
    package var body: [UInt8]

    package init(
        _ method: String, _ path: String, query: String = "", contentType: String = "", signature: String? = nil,
        body: [UInt8] = []
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.contentType = contentType
        self.signature = signature
        self.body = body
    }

    /// The media type in lower case, without parameters.
    package var mediaType: String {
        let type = contentType.prefix { $0 != ";" }.lowercased()
        return String(type.filter { $0 != " " && $0 != "\t" })
    }
}

/// The answer to a request.
package struct DeskHTTPResponse: Sendable, Hashable {
    package var status: Int
    package var contentType: String
    package var body: [UInt8]
    /// Seconds, for `Retry-After`.
    package var retryAfter: Int64?
    /// The methods of a path that was asked with another one.
    package var allow: String?

    package init(_ status: Int, contentType: String = "application/json", _ body: [UInt8] = Array("{}".utf8)) {
        self.status = status
        self.contentType = contentType
        self.body = body
    }

    package init(_ refusal: DeskRefusal) {
        self.init(refusal.status, (try? DeskJSON.bytes(DeskFault(error: refusal.message))) ?? [])
        retryAfter = refusal.retryAfter
        allow = refusal.allow
    }
}

/// What a refusal says.
package struct DeskFault: Codable, Sendable, Hashable {
    package var error: String

    package init(error: String) { self.error = error }
}

/// Why a request is not carried out.
package struct DeskRefusal: Error, Sendable, Hashable {
    package var status: Int
    /// One sentence that repeats nothing of the request.
    package var message: String
    /// Seconds.
    package var retryAfter: Int64?
    package var allow: String?

    package init(_ status: Int, _ message: String, retryAfter: Int64? = nil, allow: String? = nil) {
        self.status = status
        self.message = message
        self.retryAfter = retryAfter
        self.allow = allow
    }
}
