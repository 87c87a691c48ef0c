/// What an authorization service must answer: one request and the statuses that are right.
package struct AuthorizationCheck: Sendable, Hashable {
    /// For people.
    package var name: String
    package var method: String
    package var contentType: String
    package var body: [UInt8]
    package var right: Set<Int>

    /// The whole contract for a service that knows a user: every boundary, in both encodings.
    ///
    /// - Parameter known: somebody whom the service lets in.
    package static func all(known: AuthorizationRequest) -> [AuthorizationCheck] {
        AuthorizationRequest.Encoding.allCases.flatMap { contract(known, $0) } + [
            AuthorizationCheck(
                name: "another method is refused", method: "PUT", contentType: "application/json",
                body: known.body(.json), right: [400, 404, 405]),
            AuthorizationCheck(
                name: "JSON that is none is malformed", method: "POST", contentType: "application/json",
                body: Array("{\"app_id\":".utf8), right: [400]),
        ]
    }

    private static func contract(_ known: AuthorizationRequest, _ encoding: AuthorizationRequest.Encoding)
        -> [AuthorizationCheck]
    {
        func check(_ name: String, _ right: Set<Int>, _ change: (inout AuthorizationRequest) -> Void)
            -> AuthorizationCheck
        {
            var request = known
            change(&request)
            return AuthorizationCheck(
                name: "\(name) (\(encoding))", method: "POST", contentType: encoding.contentType,
                body: request.body(encoding), right: right)
        }
        let longest = String(repeating: "k", count: DeskBounds.identifierCharacters)
        let tooLong = longest + "k"
        return [
            check("the known user is let in", [200]) { _ in },
            check("a wrong key is refused", [403]) { $0.securityKey += "x" },
            check("an unknown user is refused", [403]) { $0.userID += "-nobody" },
            check("another application is refused", [403]) { $0.appID += "-other" },
            check("a key of 100 characters is well-formed", [403]) { $0.securityKey = longest },
            check("a key of 101 characters is malformed", [400]) { $0.securityKey = tooLong },
            check("a user id of 100 characters is well-formed", [403]) { $0.userID = longest },
            check("a user id of 101 characters is malformed", [400]) { $0.userID = tooLong },
            check("an empty key is malformed", [400]) { $0.securityKey = "" },
            check("an empty user id is malformed", [400]) { $0.userID = "" },
        ] + ["app_id", "user_id", "security_key"].map { missing(known, $0, encoding) }
    }

    private static func missing(
        _ known: AuthorizationRequest, _ field: String, _ encoding: AuthorizationRequest.Encoding
    ) -> AuthorizationCheck {
        let pairs = [("app_id", known.appID), ("user_id", known.userID), ("security_key", known.securityKey)]
            .filter { $0.0 != field }
        let body: [UInt8]
        switch encoding {
        case .form: body = Array(DeskForm.text(pairs).utf8)
        case .json: body = (try? DeskJSON.bytes(Dictionary(uniqueKeysWithValues: pairs))) ?? []
        }
        return AuthorizationCheck(
            name: "without \(field) it is malformed (\(encoding))", method: "POST", contentType: encoding.contentType,
            body: body, right: [400])
    }
}

/// What came of one check.
public struct AuthorizationCheckResult: Sendable, Hashable, Codable {
    /// What was asked.
    public var name: String
    /// The statuses that are right.
    public var expected: [Int]
    /// What came; nil where there was no answer.
    public var status: Int?
    /// Whether it is right.
    public var isRight: Bool

    package init(_ check: AuthorizationCheck, status: Int?) {
        name = check.name
        expected = check.right.sorted()
        self.status = status
        isRight = status.map(check.right.contains) ?? false
    }
}
