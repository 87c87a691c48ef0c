import CallBridge
import Foundation
import OpenTokClient
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
        do throws(URLRefusal) { try trust.check(text, dialing: address.authority) } catch { throw CallError(error) }
        self.url = url
        self.trust = trust
    }

    /// Nil where none opens.
    private func open(_ request: RumorSocketRequest) async -> WebSocketConnection<[UInt8]>? {
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

extension MessagingServer: SocketOpener {
    func open(_ request: RumorSocketRequest, _ number: Int, for session: OpenTokLikeSession) {
        Task { [weak session] in
            guard let socket = await open(request) else {
                await session?.take(.closed(socket: number, code: 1006))
                return
            }
            guard await session?.opened(socket, number) == true else { return socket.abandon() }
            for await message in socket.messages { await session?.take(.message(message, socket: number)) }
            await session?.closed(socket, number, code: socket.closeCode)
        }
    }
}

extension WebSocketConnection: MessageSocket where Message == [UInt8] {}
