import Foundation
import ServiceDeskCore
import TransportSecurity
import WebClient

/// Asks an application's authorization service, and checks one against its contract.
public enum AuthorizationClient {
    /// Seconds.
    private static let timeout = 10.0

    /// The status of the answer; nil where there is none.
    static func ask(_ url: URLComponents, _ question: AuthorizationRequest) async -> Int? {
        await status(
            url, .post, AuthorizationRequest.Encoding.form.contentType, question.body(.form))
    }

    /// Asks a service everything that its contract has an answer to: both encodings, 100 and 101 characters, missing fields,
    /// another method. Throws `invalidConfiguration` or `invalidCredentials`.
    ///
    /// - Parameters:
    ///   - url: of the service.
    ///   - userID: somebody whom it lets in with `securityKey`.
    public static func check(
        url: String, appID: String, userID: String, securityKey: String
    ) async throws(DeskError) -> [AuthorizationCheckResult] {
        guard let parts = URLComponents(string: url), (try? WebAddress(parts)) != nil,
            ["http", "https"].contains(parts.scheme?.lowercased())
        else { throw DeskError(.invalidConfiguration, "\"\(url)\" is no URL; write it as https://host/path") }
        _ = try DeskCredentials(appID: appID, deviceID: "check", userID: userID, securityKey: securityKey)
        let known = AuthorizationRequest(appID: appID, userID: userID, securityKey: securityKey)
        var results: [AuthorizationCheckResult] = []
        for check in AuthorizationCheck.all(known: known) {
            let method: WebRequest.Method = check.method == "PUT" ? .put : .post
            results.append(
                AuthorizationCheckResult(check, status: await status(parts, method, check.contentType, check.body)))
        }
        return results
    }

    private static func status(
        _ url: URLComponents, _ method: WebRequest.Method, _ contentType: String, _ body: [UInt8]
    ) async -> Int? {
        var request = WebRequest(method, url, trust: .environment)
        request.timeout = timeout
        request.headers = [("Content-Type", contentType)]
        request.body = body
        return try? await WebClient.send(request, maximumBody: 64 * 1024).status
    }
}
