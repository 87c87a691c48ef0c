/// A request to the REST API, whatever read it from a socket.
package struct RESTRequest: Hashable, Sendable {
    package struct Header: Hashable, Sendable {
        package var name: String
        package var value: String

        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    /// `GET` and the like.
    package var method: String
    /// As sent, percent-encoded, without the query.
    package var path: String
    /// What follows the question mark, percent-encoded.
    package var query: String
    package var headers: [Header]
    package var body: [UInt8]

    package init(method: String, path: String, query: String = "", headers: [Header] = [], body: [UInt8] = []) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
    }

    /// The first value of a field; names ignore case.
    subscript(header name: String) -> String? {
        headers.first { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }?.value
    }
}

/// The answer to a request.
package struct RESTResponse: Hashable, Sendable {
    package var status: Int
    /// Exactly so, without a charset: server SDKs compare the whole value. nil where there is no body.
    package var contentType: String?
    package var body: [UInt8]

    package static func empty(_ status: Int) -> RESTResponse {
        RESTResponse(status: status, contentType: nil, body: [])
    }

    package static func json(_ status: Int, _ json: JSON) -> RESTResponse {
        RESTResponse(status: status, contentType: "application/json", body: json.bytes)
    }
}
