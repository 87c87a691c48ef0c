import CallModel
import Foundation
import LiveKitProtocol
import NIOHTTP1

/// An error of the room API, as Twirp words it: a code that fixes the HTTP status, and a text.
struct TwirpError: Error, Hashable {
    enum Code: String, CaseIterable {
        case invalidArgument = "invalid_argument"
        case malformed
        case deadlineExceeded = "deadline_exceeded"
        case notFound = "not_found"
        case badRoute = "bad_route"
        case alreadyExists = "already_exists"
        case unauthenticated
        case resourceExhausted = "resource_exhausted"
        case failedPrecondition = "failed_precondition"
        case unimplemented
        case `internal`
        case unavailable

        var status: HTTPResponseStatus {
            switch self {
            case .invalidArgument, .malformed: .badRequest
            case .unauthenticated: .unauthorized
            case .notFound, .badRoute: .notFound
            case .deadlineExceeded: .requestTimeout
            case .alreadyExists: .conflict
            case .failedPrecondition: .preconditionFailed
            case .resourceExhausted: .tooManyRequests
            case .internal: .internalServerError
            case .unimplemented: .notImplemented
            case .unavailable: .serviceUnavailable
            }
        }
    }

    var code: Code
    var message: String
    var meta: [String: String] = [:]

    init(_ code: Code, _ message: String, meta: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.meta = meta
    }

    /// JSON whatever the request's content type was.
    var response: HTTPResponse {
        var object: [String: JSONValue] = ["code": .string(code.rawValue), "msg": .string(message)]
        if !meta.isEmpty { object["meta"] = .object(meta.mapValues { .string($0) }) }
        return .json((JSONValue.object(object).text ?? "{}").utf8, status: code.status)
    }

    static func badRoute(_ request: HTTPRequest, _ message: String) -> TwirpError {
        TwirpError(
            .badRoute, message,
            meta: ["twirp_invalid_route": "\(request.method.rawValue) \(request.path)".printable(limit: 200)])
    }

    /// An argument beyond its limit, as Twirp words wrong arguments.
    static func exceeds(_ what: String, _ limit: Int) -> TwirpError {
        TwirpError(.invalidArgument, "\(what) \(limit)", meta: ["argument": what])
    }

    static let roomDescriptionIsFull = TwirpError(
        .resourceExhausted, "exceeds what all in a room may say of themselves together")
    static let permissionDenied = TwirpError(.unauthenticated, "permissions denied")
    static let noRoom = TwirpError(.notFound, "requested room does not exist")
    static let noParticipant = TwirpError(.notFound, "participant does not exist")
}
