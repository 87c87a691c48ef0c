/// Why a request is refused: the status, and what its body says.
package struct RESTFault: Error, Hashable, CustomStringConvertible {
    package var status: Int
    /// The `code` of the body: -1 for credentials, else the status.
    package var code: Int
    /// What is wrong, and what to send instead. Server SDKs show it for the statuses 400 and 409.
    package var message: String
    /// What kind of refusal it is.
    package var description: String

    private init(_ status: Int, _ message: String, _ description: String, code: Int? = nil) {
        self.status = status
        self.code = code ?? status
        self.message = message
        self.description = description
    }

    package var response: RESTResponse {
        .json(
            status,
            ["code": .integer(Int64(code)), "message": .string(message), "description": .string(description)])
    }

    /// Credentials that are missing or don't fit; the dialect has no 401.
    static func credentials(_ reason: String) -> RESTFault { RESTFault(403, "Invalid token", reason, code: -1) }
    static func invalid(_ message: String) -> RESTFault { RESTFault(400, message, "Invalid request") }
    static func notFound(_ message: String) -> RESTFault { RESTFault(404, message, "Not found") }
    static func method(_ message: String) -> RESTFault { RESTFault(405, message, "Method not allowed") }
    /// What server SDKs expect for a stream that is not there.
    static func noSuchStream(_ message: String) -> RESTFault { RESTFault(408, message, "Not found") }
    static func conflict(_ message: String) -> RESTFault { RESTFault(409, message, "Conflict") }
    static func tooLong(_ message: String) -> RESTFault { RESTFault(413, message, "Too long") }
    /// A feature of the API that this server does not have.
    static func absent(_ feature: String) -> RESTFault {
        RESTFault(501, "This server has no \(feature)", "Not implemented")
    }

    init(_ fault: MessageFault) {
        self = fault.isTooLong ? .tooLong(fault.description) : .invalid(fault.description)
    }
}
