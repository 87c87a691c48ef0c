import CallBridge
import Foundation
import OpenTokSignalling
import TransportSecurity
import WebClient

/// Where the session's message transport is.
struct MessagingServer: Sendable {
    /// Seconds until a socket is open.
    static let timeout = 15.0

    let url: URLComponents
    let address: WebAddress
    let trust: TLSTrust

    /// Throws `CallError` for what is no WebSocket's URL.
    init(_ text: String, trust: TLSTrust) throws(CallError) {
        let fault = CallError(
            .provider, .protocolViolation, "the server names \"\(text.prefix(300))\" as its message transport")
        guard let url = URLComponents(string: text), ["ws", "wss"].contains(url.scheme?.lowercased() ?? "") else {
            throw fault
        }
        do throws(WebAddress.Fault) { address = try WebAddress(url) } catch { throw fault }
        self.url = url
        self.trust = trust
    }

    /// Opens a socket; nil where none opens.
    func open(_ request: RumorSocketRequest) async -> WebSocketConnection<[UInt8]>? {
        let path = url.percentEncodedPath.isEmpty ? "/" : url.percentEncodedPath
        let query = url.percentEncodedQuery.map { $0 + "&" } ?? ""
        let asked = WebSocketConnection<[UInt8]>.Request(
            address, trust: trust, target: "\(path)?\(query)\(request.query)", headers: [("Host", address.authority)],
            timeout: Self.timeout)
        guard case .connected(let socket)? = try? await WebSocketConnection.open(asked, decode: { $0 }) else {
            return nil
        }
        return socket
    }
}
