package import CallBridge
package import ClientModel
package import CoBrowsingModel
import CallModel
import ConversationModel
import Foundation
import TransportSecurity
import WebClient

/// The conversation service over HTTP and a WebSocket (docs/openapi/conversations.yaml). It follows no redirection: nothing
/// leaves the server that the configuration names.
package struct WebServiceLink: ServiceLink {
    private static let root = "/callbridge/v1/"
    /// Bytes of an answer, and of a notice.
    private static let longest = 4 * 1024 * 1024

    private let server: URLComponents
    private let address: WebAddress
    private let apiKey: String
    private let trust: ServerTrust

    package init(_ configuration: ClientConfiguration, trust: ServerTrust) throws(ClientError) {
        guard var server = URLComponents(string: configuration.serverURL), let address = try? WebAddress(server) else {
            throw ClientError(
                .invalidConfiguration, "serverURL: that is no URL; write it as https://host", field: "serverURL")
        }
        let base =
            server.percentEncodedPath.hasSuffix("/")
            ? String(server.percentEncodedPath.dropLast()) : server.percentEncodedPath
        server.percentEncodedPath = base + configuration.entryPath
        self.server = server
        self.address = address
        self.trust = trust
        apiKey = configuration.apiKey
    }

    package func connect(_ identity: ServiceIdentity) async throws(LinkFailure) -> ServiceConnection {
        var target = server.percentEncodedPath + Self.root + "conversations/events"
        if let area = identity.area?.addingPercentEncoding(withAllowedCharacters: .alphanumerics) {
            target += "?area=" + area
        }
        let request = WebSocketConnection<ConversationNotice>.Request(
            address, trust: trust.roots, target: target,
            headers: [("Host", address.authority)] + headers(identity), timeout: 10)
        let outcome: WebSocketConnection<ConversationNotice>.Outcome
        do {
            outcome = try await WebSocketConnection<ConversationNotice>.open(request, longest: Self.longest) { bytes in
                try? JSONDecoder().decode(ConversationNotice.self, from: Data(bytes))
            }
        } catch {
            throw .unreachable("\(address.authority): \(WebDialer.reason(error))")
        }
        switch outcome {
        case .connected(let socket):
            return ServiceConnection(notices: socket.messages) { await socket.close() }
        case .refused(let status, let body):
            let words = "HTTP \(status): \(excerpt(body, identity))"
            switch status {
            case 401, 403: throw .unauthorized(words)
            case 404, 405, 426:
                throw .incompatible("\(address.authority) has no conversations (\(words)); is this the right server?")
            default: throw .unreachable(words)
            }
        }
    }

    package func coBrowse(
        _ conversation: String, _ identity: ServiceIdentity
    ) async throws(ServiceFault) -> any CoBrowsingChannel {
        let target =
            server.percentEncodedPath + Self.root + "conversations/co-browsing?conversation=" + conversation.inPath
        let request = WebSocketConnection<CoBrowsingEnvelope>.Request(
            address, trust: trust.roots, target: target,
            headers: [("Host", address.authority)] + headers(identity), timeout: 10)
        let outcome: WebSocketConnection<CoBrowsingEnvelope>.Outcome
        do {
            outcome = try await WebSocketConnection<CoBrowsingEnvelope>.open(
                request, longest: CoBrowsingBounds.longestMessage + 256
            ) { CoBrowsingEnvelope(parsing: $0) }
        } catch {
            throw .unanswered("\(address.authority): \(WebDialer.reason(error))")
        }
        switch outcome {
        case .connected(let socket): return WebCoBrowsingChannel(socket: socket)
        case .refused(401, _): throw .unauthorized
        case .refused(let status, let body): throw .refused(status: status, excerpt(body, identity))
        }
    }

    package func send(_ request: ServiceRequest, _ identity: ServiceIdentity) async throws(ServiceFault) -> [UInt8] {
        guard let web = webRequest(request, identity) else { throw .refused(status: 0, "the path is none") }
        let (status, body): (Int, [UInt8])
        do {
            let stream = try await WebClient.open(web)
            status = stream.status
            body = try await stream.collect(atMost: Self.longest)
        } catch {
            throw .unanswered("\(error)")
        }
        switch status {
        case 200..<300: return body
        case 401: throw .unauthorized
        // Come back later.
        case 408, 425, 429, 500...599: throw .unanswered("HTTP \(status)")
        default: throw .refused(status: status, excerpt(String(decoding: body.prefix(4_096), as: UTF8.self), identity))
        }
    }

    private func webRequest(_ request: ServiceRequest, _ identity: ServiceIdentity) -> WebRequest? {
        var url = server
        let parts = request.path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        guard let path = parts.first else { return nil }
        url.percentEncodedPath = server.percentEncodedPath + Self.root + request.part.rawValue + path
        if parts.count > 1 { url.percentEncodedQuery = String(parts[1]) }
        let method: WebRequest.Method =
            switch request.method {
            case .get: .get
            case .post: .post
            case .put: .put
            case .delete: .delete
            }
        var web = WebRequest(method, url, trust: trust.roots)
        web.headers = headers(identity).map { (name: $0.0, value: $0.1) }
        if !request.body.isEmpty, request.part != .files {
            web.headers.append((name: "Content-Type", value: "application/json"))
        }
        for (name, value) in request.fields { web.headers.append((name: name, value: value)) }
        web.body = request.body
        return web
    }

    private func headers(_ identity: ServiceIdentity) -> [(String, String)] {
        var headers = [("Authorization", "Bearer \(identity.token.value)"), ("X-CallBridge-API-Key", apiKey)]
        if let cookies = identity.cookies { headers.append(("Cookie", cookies)) }
        return headers
    }

    /// What the server says, for people, without what was sent along.
    private func excerpt(_ text: String, _ identity: ServiceIdentity) -> String {
        RemoteText.excerpt(Array(text.utf8), without: [identity.token.value])
    }
}

/// A WebSocket of the conversation service as a co-browsing channel.
private struct WebCoBrowsingChannel: CoBrowsingChannel {
    let socket: WebSocketConnection<CoBrowsingEnvelope>

    var incoming: AsyncStream<CoBrowsingEnvelope> { socket.messages }
    func send(_ message: [UInt8]) { socket.send(message) }
    func close() async { await socket.close() }
}
