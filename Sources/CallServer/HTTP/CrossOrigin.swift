import NIOHTTP1

/// What browsers ask of a server that their page doesn't come from (Fetch standard, section 3.2, "CORS protocol").
///
/// Every origin is let in: who may do what is decided by tokens, which pages must send themselves, and never by cookies.
enum CrossOrigin {
    /// How long browsers keep a permission, in seconds.
    private static let maximumAge = 86_400

    /// True for requests that name the origin of their page.
    static func isAsked(_ headers: HTTPHeaders) -> Bool { headers.contains(name: "origin") }

    /// The answer to a browser that asks whether it may send a request; nil for every other request.
    static func preflight(_ request: HTTPRequest) -> HTTPResponse? {
        guard request.method == .OPTIONS, isAsked(request.headers),
            let method = request.headers.first(name: "access-control-request-method")
        else { return nil }
        var response = HTTPResponse(.noContent, "")
        response.fields["Access-Control-Allow-Methods"] = method
        response.fields["Access-Control-Max-Age"] = "\(maximumAge)"
        // Named one by one: `*` would not cover `Authorization`.
        let fields = request.headers[canonicalForm: "access-control-request-headers"]
        if !fields.isEmpty { response.fields["Access-Control-Allow-Headers"] = fields.joined(separator: ", ") }
        return response
    }

    /// Lets the page read the response.
    static func allow(_ headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: "Access-Control-Allow-Origin", value: "*")
    }
}
