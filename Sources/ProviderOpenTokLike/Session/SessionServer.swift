import CallBridge
import CallModel
import Foundation
import MediaCore
import OpenTokSignalling
import TransportSecurity
import WebClient

/// The API's server, which says where the session's message transport is.
struct SessionServer: Sendable {
    /// Waits before the second, third and fourth attempt, in seconds, as the client SDKs have them.
    static let pauses = [0, 0.6, 1.2]

    let session: OpenTokSessionID
    private let url: URLComponents
    private let address: WebAddress
    private let context: ProviderContext
    private let ground: any SessionGround

    /// Throws `CallError` that names what can't be used.
    init(
        endpoint: String, session: String, context: ProviderContext, ground: any SessionGround = SocketGround()
    ) throws(CallError) {
        do throws(SessionIDFault) { self.session = try OpenTokSessionID(parsing: session) } catch {
            throw CallError(
                .configuration, .invalidArgument, "\"\(session.prefix(300))\" is no session id: \(error)")
        }
        let remedy = "write it as http://host:port or https://host"
        guard var url = URLComponents(string: endpoint) else {
            throw CallError(.configuration, .invalidArgument, "\"\(endpoint)\" is no server URL; \(remedy)")
        }
        do throws(WebAddress.Fault) { address = try WebAddress(url) } catch {
            throw CallError(.configuration, .invalidArgument, "\"\(endpoint)\" is no server URL (\(error)); \(remedy)")
        }
        url.path = (url.path.hasSuffix("/") ? String(url.path.dropLast()) : url.path) + "/session/\(session)"
        url.queryItems = [URLQueryItem(name: "extended", value: "true")]
        self.url = url
        self.context = context
        self.ground = ground
    }

    /// Asks for it; where the server does not answer properly, four times. Throws `CallError`.
    func information(token: String) async throws(CallError) -> SessionInfo {
        guard token.utf8.allSatisfy({ $0 > 32 && $0 < 127 }) else {
            throw CallError(
                .configuration, .invalidArgument,
                "the token has a character that no token has; check how it was read, for a line's end")
        }
        for pause in Self.pauses {
            do throws(Failure) { return try await attempt(token) } catch {
                guard error.isTransient else { throw error.error }
            }
            try? await context.clock.wait(seconds: pause)
        }
        do throws(Failure) { return try await attempt(token) } catch { throw error.error }
    }

    private struct Failure: Error {
        var isTransient: Bool
        var error: CallError
    }

    private func attempt(_ token: String) async throws(Failure) -> SessionInfo {
        var request = WebRequest(.get, url, trust: context.trust.roots)
        request.headers = [
            ("X-TB-TOKEN-AUTH", token), ("X-TB-VERSION", "1"), ("X-TB-CLIENT-VERSION", "callbridge-1"),
            ("Accept", "application/json"),
        ]
        let answer: WebAnswer
        do throws(WebFailure) { answer = try await ground.send(request, maximumBody: 64 * 1024) } catch {
            throw unreachable(error)
        }
        let info: SessionInfo
        do throws(SessionInfoFault) { info = try SessionInfo(status: answer.status, body: answer.body) } catch {
            throw refusal(error, token)
        }
        guard info.session == session else {
            let text = "the server \(address.authority) has sent information about another session"
            throw Failure(isTransient: false, error: CallError(.provider, .protocolViolation, text))
        }
        return info
    }

    private func unreachable(_ error: WebFailure) -> Failure {
        if case .tls(let fault) = error {
            return Failure(isTransient: false, error: CallError(.configuration, .unreachable, "\(fault)"))
        }
        if case .refused(let refusal) = error { return Failure(isTransient: false, error: CallError(refusal)) }
        let text = "the server \(address.authority) can't be reached (\(error)); is it running, and is the URL right?"
        return Failure(isTransient: true, error: CallError(.network, .unreachable, text))
    }

    private func refusal(_ fault: SessionInfoFault, _ token: String) -> Failure {
        let words = RemoteText.excerpt("\(fault)", without: [token])
        let text = "the server \(address.authority) did not let us in: \(words)"
        return Failure(isTransient: fault.isTransient, error: CallError(ClientErrorWords.of(fault.clientCode), text))
    }
}
