/// A message about a resource: `{"method": …, "uri": …, "content": …}`, the payload of a frame of the message transport. Who
/// has sent it is said by the frame.
package struct RaptorMessage: Hashable, Sendable {
    /// Bytes of a message that are read at all.
    package static let longest = 192 * 1024
    private static let longestMethod = 32

    /// `create`, `update`, `signal` and the like; what a server reports is in the past tense.
    package var method: String
    package var uri: RaptorURI
    package var content: JSON

    package init(_ method: String, _ uri: RaptorURI, _ content: JSON = [:]) {
        self.method = method
        self.uri = uri
        self.content = content
    }

    package init(payload: [UInt8]) throws(MessageFault) {
        guard payload.count <= Self.longest else {
            throw MessageFault(
                path: "", problem: "\(payload.count) bytes; send at most \(Self.longest)", isTooLong: true)
        }
        let json: JSON
        do { json = try JSON(parsing: payload) } catch { throw MessageFault(path: "", problem: error.description) }
        let fields = try JSONFields(json)
        method = try fields.text("method", limit: Self.longestMethod)
        let text = try fields.text("uri", limit: RaptorURI.longest)
        guard let uri = RaptorURI(text) else {
            throw fields.fault("uri", "no resource; send /v2/partner/KEY/session/ID and what is below it")
        }
        self.uri = uri
        content = fields["content"] ?? [:]
    }

    package var payload: [UInt8] {
        JSON.object(["method": .string(method), "uri": .string(uri.text), "content": content]).bytes
    }

    /// The content as an object.
    func fields() throws(MessageFault) -> JSONFields { try JSONFields(content, path: "content") }
}
