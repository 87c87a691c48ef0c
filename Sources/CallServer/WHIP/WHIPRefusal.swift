import NIOCore
import NIOHTTP1
import WHIPSignalling

/// Why a request is refused before it reaches a room.
struct WHIPRefusal: Error {
    var response: HTTPResponse

    init(_ status: Int, _ text: String, fields: [String: String] = [:]) {
        response = HTTPResponse(WHIPResponse(status, text, fields: fields))
    }

    /// A token that doesn't hold is 401; one that holds, and doesn't grant it, 403.
    init(_ refusal: LiveKitRefusal) {
        let isDenied = refusal.status == 401 && refusal.text == "permissions denied"
        let isRelayed = refusal.status == 403 && refusal.text.contains("relayed")
        let status = isDenied ? 403 : isRelayed ? 409 : Int(refusal.status)
        self.init(status, refusal.text, fields: status == 401 ? Self.challenge : [:])
    }

    private static let challenge = ["WWW-Authenticate": "Bearer"]
    private static let later = ["Retry-After": "5"]

    static let noToken = WHIPRefusal(
        401, "a token is missing; send Authorization: Bearer with an access token of the room", fields: challenge)
    static let noPath = WHIPRefusal(
        404, "there is nothing; offers go to /whip/{room}, /whep/{room} or /whep/{room}/{participant}")
    static let noRoom = WHIPRefusal(404, "there is no such room, and it is not made by joining; create it first")
    static let tooOften = WHIPRefusal(429, "sessions are begun too often from there; try again later", fields: later)
    static let tooMany = WHIPRefusal(
        429, "this address or participant has as many sessions as it may; end others first", fields: later)
    static let full = WHIPRefusal(503, "the server is full; try again later, or elsewhere", fields: later)
}

extension WHIPRequest {
    init(_ request: HTTPRequest) {
        self.init(
            method: request.method.rawValue, contentType: request.headers.first(name: "content-type"),
            accept: request.headers.first(name: "accept"),
            ifMatch: request.headers[canonicalForm: "if-match"].joined(separator: ","),
            body: Array(request.body.readableBytesView))
    }
}

extension HTTPResponse {
    init(_ response: WHIPResponse) {
        self.init(
            HTTPResponseStatus(statusCode: response.status),
            contentType: response.contentType.isEmpty ? "text/plain; charset=utf-8" : response.contentType,
            response.body.utf8)
        fields = response.fields
        fields["Cache-Control"] = "no-store"
        // Pages of another origin see no others (Fetch standard, section 3.2.3).
        fields["Access-Control-Expose-Headers"] = "Location, ETag, Link, Accept-Patch, Accept-Post, Retry-After"
    }
}
