/// A client's request for session information, with the token that it will connect with.
package struct SessionInfoRequest: Hashable, Sendable {
    package let session: OpenTokSessionID
    package let token: OpenTokToken

    /// Whether it is such a request at all, by verb and path.
    package static func matches(_ request: RESTRequest) -> Bool { sessionText(request) != nil }

    /// Judges a request that matches. What it throws is the answer.
    ///
    /// - Parameters:
    ///   - secrets: API key to secret.
    ///   - now: seconds since 1970.
    package init(_ request: RESTRequest, secrets: [String: String], now: Int64) throws(SessionInfoRefusal) {
        let text = Self.sessionText(request) ?? ""
        do { session = try OpenTokSessionID(parsing: text) } catch {
            throw SessionInfoRefusal(status: 400, message: error.description)
        }
        guard let token = request[header: "x-tb-token-auth"] else {
            throw SessionInfoRefusal(status: 403, message: "send the token in X-TB-TOKEN-AUTH")
        }
        do { self.token = try OpenTokToken(verifying: token, secrets: secrets, session: text, now: now) } catch {
            let status = error.clientCode == .invalidSession ? 400 : 403
            throw SessionInfoRefusal(status: status, message: error.description)
        }
    }

    private static func sessionText(_ request: RESTRequest) -> String? {
        let parts = request.path.split(separator: "/", maxSplits: 3, omittingEmptySubsequences: false)
        guard request.method == "GET", parts.count == 3, parts[0].isEmpty, parts[1] == "session" else { return nil }
        return PercentEncoding.decodeSegment(parts[2])
    }
}

/// Why a client gets no session information, as a server says it.
package struct SessionInfoRefusal: Error, Hashable {
    package var status: Int
    package var message: String

    package var response: RESTResponse {
        .json(
            status,
            .array([
                ["error": ["code": .integer(Int64(status)), "errorMessage": ["message": .string(message)]]]
            ]))
    }
}
