/// The question that a service desk asks an application's authorization service before it does what a user wants: POST of
/// `app_id`, `user_id` and `security_key`. The encoding is the asker's choice: a form or JSON.
package struct AuthorizationRequest: Sendable, Hashable, Codable {
    package enum Encoding: Sendable, Hashable, CaseIterable {
        case form
        case json

        package var contentType: String {
            switch self {
            case .form: "application/x-www-form-urlencoded"
            case .json: "application/json"
            }
        }
    }

    package var appID: String
    package var userID: String
    package var securityKey: String

    package init(appID: String, userID: String, securityKey: String) {
        self.appID = appID
        self.userID = userID
        self.securityKey = securityKey
    }

    /// The request to send.
    package func body(_ encoding: Encoding) -> [UInt8] {
        switch encoding {
        case .form:
            Array(
                DeskForm.text([("app_id", appID), ("user_id", userID), ("security_key", securityKey)]).utf8)
        case .json: (try? DeskJSON.bytes(self)) ?? []
        }
    }

    /// Reads a request. Throws 405 for another method, 413, and 400 for what is malformed or beyond its bounds.
    package static func read(_ request: DeskHTTPRequest) throws(DeskRefusal) -> AuthorizationRequest {
        guard request.method == "POST" else { throw DeskRefusal(405, "ask by POST", allow: "POST") }
        guard request.body.count <= largest else { throw DeskRefusal(413, "a request has at most \(largest) bytes") }
        let read: AuthorizationRequest?
        switch request.mediaType {
        case AuthorizationRequest.Encoding.form.contentType:
            read = DeskForm(request.body).flatMap { form in
                guard let app = form["app_id"], let user = form["user_id"], let key = form["security_key"] else {
                    return nil
                }
                return AuthorizationRequest(appID: app, userID: user, securityKey: key)
            }
        case AuthorizationRequest.Encoding.json.contentType: read = try? DeskJSON.read(Self.self, request.body)
        default: throw DeskRefusal(400, "write the request as a form or as JSON, and say which in Content-Type")
        }
        guard let read else { throw DeskRefusal(400, "the request has app_id, user_id and security_key") }
        guard DeskBounds.isIdentifier(read.appID, limit: DeskBounds.appCharacters),
            DeskBounds.isIdentifier(read.userID), DeskBounds.isIdentifier(read.securityKey)
        else {
            throw DeskRefusal(
                400, "user_id and security_key have 1 to \(DeskBounds.identifierCharacters) printable characters")
        }
        return read
    }

    /// Bytes of a body.
    package static let largest = 16 * 1024

    package enum CodingKeys: String, CodingKey {
        case appID = "app_id"
        case userID = "user_id"
        case securityKey = "security_key"
    }
}
