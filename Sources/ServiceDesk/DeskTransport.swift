import CallModel
import Foundation
import TransportSecurity
import WebClient

/// What a chat asks of its service; a test puts a service of its own in its place.
package protocol DeskTransport: Sendable {
    func tickets(_ credentials: DeskCredentials) async throws(DeskError) -> [DeskTicket]
    func feed(_ request: DeskFeedRequest, _ credentials: DeskCredentials) async throws(DeskError) -> [DeskComment]
    func comment(
        _ request: DeskCommentRequest, _ credentials: DeskCredentials
    ) async throws(DeskError) -> DeskCommentAnswer
    func upload(_ file: DeskFile, _ credentials: DeskCredentials) async throws(DeskError) -> String
    func download(_ id: Int64, _ credentials: DeskCredentials) async throws(DeskError) -> [UInt8]
    func setPushToken(_ token: String?, type: String, _ credentials: DeskCredentials) async throws(DeskError)
    func avatar(_ id: Int64) async throws(DeskError) -> [UInt8]
}

/// The service over HTTP, below `/servicedeskapi/v1/` of its server. Credentials go with every request.
package struct WebDeskTransport: DeskTransport {
    /// Seconds.
    private static let timeout = 60.0
    private let root: URLComponents
    private let trust: TLSTrust

    /// - Parameter server: `http://host:port` or `https://host`, with or without a path.
    package init(server: String, trust: TLSTrust = .environment) throws(DeskError) {
        guard var root = URLComponents(string: server), let address = try? WebAddress(root), root.query == nil,
            root.user == nil, root.fragment == nil, ["http", "https"].contains(root.scheme?.lowercased()),
            !address.host.isEmpty
        else {
            throw DeskError(
                .invalidConfiguration, "the server is no URL; write it as http://host:port or https://host")
        }
        var path = root.percentEncodedPath
        while path.hasSuffix("/") { path.removeLast() }
        root.percentEncodedPath = path + DeskRouter.root
        self.root = root
        self.trust = trust
    }

    package func tickets(_ credentials: DeskCredentials) async throws(DeskError) -> [DeskTicket] {
        try await ask(DeskTicketsAnswer.self, "gettickets", DeskTicketsRequest(), credentials).tickets
    }

    package func feed(
        _ request: DeskFeedRequest, _ credentials: DeskCredentials
    ) async throws(DeskError) -> [DeskComment] {
        try await ask(DeskFeedAnswer.self, "GetTicketFeed", request, credentials).comments
    }

    package func comment(
        _ request: DeskCommentRequest, _ credentials: DeskCredentials
    ) async throws(DeskError) -> DeskCommentAnswer {
        try await ask(DeskCommentAnswer.self, "UpdateTicketFeed", request, credentials)
    }

    package func upload(_ file: DeskFile, _ credentials: DeskCredentials) async throws(DeskError) -> String {
        // 128 random bits do not occur in a file by chance.
        let boundary = "desk-\(DeskLocalStore().deviceID)"
        var request = request(.post, "UploadFile", query: DeskIdentity(credentials).query)
        request.headers = [("Content-Type", "multipart/form-data; boundary=\(boundary)")]
        request.body = DeskMultipart(name: file.name, bytes: file.bytes).body(boundary: boundary)
        let body = try await send(request, DeskBounds.answerBytes, credentials)
        return try read(DeskUploadAnswer.self, body).guid
    }

    package func download(_ id: Int64, _ credentials: DeskCredentials) async throws(DeskError) -> [UInt8] {
        let request = request(.get, "DownloadFile/\(id)", query: DeskIdentity(credentials).query)
        return try await send(request, DeskBounds.fileBytes, credentials)
    }

    package func setPushToken(
        _ token: String?, type: String, _ credentials: DeskCredentials
    ) async throws(DeskError) {
        _ = try await ask(
            DeskTicketsRequest.self, "SetPushToken", DeskPushTokenRequest(token: token, type: type), credentials,
            secrets: token.map { [$0] } ?? [])
    }

    package func avatar(_ id: Int64) async throws(DeskError) -> [UInt8] {
        try await send(request(.get, "avatar/\(id)", query: nil), DeskBounds.fileBytes, nil)
    }

    // MARK: HTTP

    private func request(_ method: WebRequest.Method, _ path: String, query: String?) -> WebRequest {
        var url = root
        url.percentEncodedPath += path
        url.percentEncodedQuery = query
        var request = WebRequest(method, url, trust: trust)
        request.timeout = Self.timeout
        return request
    }

    private func ask<Content: Codable & Sendable & Hashable, Answer: Decodable>(
        _ type: Answer.Type, _ path: String, _ content: Content, _ credentials: DeskCredentials,
        secrets: [String] = []
    ) async throws(DeskError) -> Answer {
        var request = request(.post, path, query: nil)
        request.headers = [("Content-Type", "application/json")]
        guard let body = try? DeskJSON.bytes(DeskEnvelope(DeskIdentity(credentials), content)) else {
            throw DeskError(.invalidConfiguration, "the request can't be written")
        }
        request.body = body
        return try read(type, try await send(request, DeskBounds.answerBytes, credentials, secrets: secrets))
    }

    private func read<Answer: Decodable>(_ type: Answer.Type, _ body: [UInt8]) throws(DeskError) -> Answer {
        guard let answer = try? DeskJSON.read(type, body) else {
            throw DeskError(
                .invalidAnswer, "the service's answer is none that a chat understands; is it the right server?")
        }
        return answer
    }

    private func send(
        _ request: WebRequest, _ limit: Int, _ credentials: DeskCredentials?, secrets: [String] = []
    ) async throws(DeskError) -> [UInt8] {
        let answer: WebAnswer
        do {
            answer = try await WebClient.send(request, maximumBody: limit)
        } catch {
            if case .tooLarge = error { throw DeskError(.invalidAnswer, "the service's answer is too large") }
            throw DeskError(.unreachable, "the service does not answer: \(error)")
        }
        if (200..<300).contains(answer.status) { return answer.body }
        throw Self.error(answer, (credentials?.secrets ?? []) + secrets)
    }

    private static func error(_ answer: WebAnswer, _ secrets: [String]) -> DeskError {
        let said = (try? DeskJSON.read(DeskFault.self, answer.body))?.error
        let words = said.map { RemoteText.excerpt($0, without: secrets) } ?? "HTTP \(answer.status)"
        switch answer.status {
        case 401, 403: return DeskError(.authorizationFailed, "the service does not let this user in: \(words)")
        case 404: return DeskError(.notFound, "the service has no such ticket or file: \(words)")
        case 413: return DeskError(.tooLarge, "it is too large for the service: \(words)")
        case 429: return DeskError(.tooOften, "the service asks for a pause: \(words)")
        case 408, 500...: return DeskError(.unreachable, "the service can't answer now: \(words)")
        default: return DeskError(.refused, "the service refuses it: \(words)")
        }
    }
}
