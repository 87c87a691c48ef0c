import ConversationModel
import ConversationService
import Foundation
import LiveKitProtocol
import NIOHTTP1

/// Whom a request about conversations speaks for.
///
/// An access token speaks for its identity, as an agent where its attribute `role` says so; it must be of the API key that the
/// field `X-CallBridge-API-Key` names, where that is there. An API key and its secret (HTTP basic authentication) speak for
/// anybody: `person` and `role` of the query.
struct ConversationCaller: Sendable {
    let keyring: APIKeyring
    /// The longest identity, in bytes of UTF-8.
    let longestName: Int

    func person(_ request: HTTPRequest) throws(ConversationHTTPFault) -> ConversationPerson {
        if request.basicCredentials != nil {
            guard case .known = keyring.check(request) else {
                throw ConversationHTTPFault(.forbidden, "the API key or its secret is wrong")
            }
            let role = request["role"].map { PersonRole(rawValue: $0.uppercased()) } ?? .visitor
            guard let role else { throw ConversationHTTPFault(.badRequest, "role: use VISITOR or AGENT") }
            return ConversationPerson(id: try name(request["person"] ?? "", "person"), role: role)
        }
        guard let token = request.bearerToken else { throw unauthorized("an access token is needed") }
        let claims: TokenClaims
        let now = Double(WallClock.milliseconds) / 1_000
        do { claims = try AccessToken.verify(token, secrets: keyring.keys, now: now) } catch {
            throw unauthorized(error.description)
        }
        if let key = request.headers.first(name: "x-callbridge-api-key"), key != claims.issuer {
            throw unauthorized("the access token is of another API key than the request names")
        }
        let role: PersonRole = claims.attributes?["role"]?.lowercased() == "agent" ? .agent : .visitor
        return ConversationPerson(id: try name(claims.identity, "the token's identity"), role: role)
    }

    /// The answer to a request whose credentials are not good; nil lets its body come.
    func refusal(of request: HTTPRequest) -> HTTPResponse? {
        do throws(ConversationHTTPFault) {
            _ = try person(request)
            return nil
        } catch { return error.response }
    }

    /// Answers a request by its person and the parts of its path.
    func respond(
        to request: HTTPRequest, below root: String,
        _ answer: (HTTPRequest, [String], ConversationPerson) async throws(ConversationRefusal) -> HTTPResponse
    ) async -> HTTPResponse {
        let who: ConversationPerson
        do throws(ConversationHTTPFault) { who = try person(request) } catch { return error.response }
        let parts = request.path.dropFirst(root.count).split(separator: "/").map {
            $0.removingPercentEncoding ?? String($0)
        }
        do throws(ConversationRefusal) { return try await answer(request, parts, who) } catch {
            return ConversationHTTPFault(error).response
        }
    }

    private func name(_ text: String, _ field: String) throws(ConversationHTTPFault) -> String {
        guard (1...longestName).contains(text.utf8.count) else {
            throw ConversationHTTPFault(.badRequest, "\(field) has 1 to \(longestName) bytes of UTF-8")
        }
        return text
    }

    private func unauthorized(_ text: String) -> ConversationHTTPFault {
        var fault = ConversationHTTPFault(.unauthorized, text)
        fault.response.fields["WWW-Authenticate"] = #"Bearer realm="callbridge""#
        return fault
    }
}

/// Why a request about conversations is refused.
struct ConversationHTTPFault: Error {
    var response: HTTPResponse

    init(_ status: HTTPResponseStatus, _ text: String) { response = HTTPResponse(status, text) }

    init(_ refusal: ConversationRefusal) {
        let status: HTTPResponseStatus =
            switch refusal.kind {
            case .invalid: .badRequest
            case .unknown: .notFound
            case .forbidden: .forbidden
            case .conflict: .conflict
            case .unavailable: .serviceUnavailable
            case .tooLarge: .payloadTooLarge
            case .unfit: .unsupportedMediaType
            case .noSpace: .insufficientStorage
            }
        self.init(status, refusal.description)
    }
}
