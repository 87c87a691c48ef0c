import NIOCore
import NIOHTTP1

/// The answer to a request. `Content-Length` and `Connection` are the server's business.
struct HTTPResponse: Sendable, Hashable {
    var status: HTTPResponseStatus
    var contentType = "text/plain; charset=utf-8"
    var body: ByteBuffer
    /// Is the body instead.
    var file: HTTPFilePart?
    /// Further header fields.
    var fields: [String: String] = [:]

    /// Plain text in UTF-8.
    init(_ status: HTTPResponseStatus, _ text: String) {
        self.status = status
        body = ByteBuffer(string: text)
    }

    /// Bytes of some media type.
    init(_ status: HTTPResponseStatus, contentType: String, _ bytes: some Sequence<UInt8>) {
        self.status = status
        self.contentType = contentType
        body = ByteBuffer(bytes: bytes)
    }

    /// A JSON document that is already written.
    static func json(_ bytes: some Sequence<UInt8>, status: HTTPResponseStatus = .ok) -> HTTPResponse {
        HTTPResponse(status, contentType: "application/json", bytes)
    }

    static let notFound = HTTPResponse(.notFound, "404 page not found\n")
}
