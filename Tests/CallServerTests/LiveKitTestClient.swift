import Foundation
import LiveKitProtocol
import Logging

@testable import CallServer

/// The signalling side of a LiveKit client.
final class LiveKitTestClient: Sendable {
    /// The server answered the upgrade with this instead.
    struct Refused: Error, Hashable {
        var status: Int
        var body: String
    }

    private let http: HTTPTestClient

    private init(_ http: HTTPTestClient) { self.http = http }

    /// Opens a signalling connection; `path` may have a query.
    static func connect(_ port: Int, _ path: String, token: String?) async throws -> LiveKitTestClient {
        let http = try await HTTPTestClient.connect(port)
        var request = WebSocketBytes.handshake(path)
        if let token { request.insert(contentsOf: "Authorization: Bearer \(token)\r\n", at: request.firstLineEnd) }
        http.send(request)
        let response = try await http.response()
        guard response.status == 101 else { throw Refused(status: response.status, body: response.body) }
        return LiveKitTestClient(http)
    }

    /// Joins as version 1 clients do.
    static func join(
        _ port: Int, token: String, autoSubscribe: Bool = true,
        _ change: (inout Livekit_JoinRequest) -> Void = { _ in }
    ) async throws -> LiveKitTestClient {
        var join = Livekit_JoinRequest()
        join.clientInfo.protocol = 17
        join.connectionSettings.autoSubscribe = autoSubscribe
        change(&join)
        let wrapped = Livekit_WrappedJoinRequest.with { $0.joinRequest = Data(join.wireBytes) }
        return try await connect(port, "/rtc/v1?join_request=\(Base64.encodeURL(wrapped.wireBytes))", token: token)
    }

    func send(_ request: Livekit_SignalRequest) { http.send(WebSocketBytes.frame(2, request.wireBytes)) }

    /// Sends bytes that need not be a frame, and waits until the kernel has taken them.
    func deliver(raw bytes: [UInt8]) async throws { try await http.deliver(bytes) }

    func send(bytes: [UInt8]) { http.send(WebSocketBytes.frame(2, bytes)) }

    /// Bytes that need not be a frame.
    func send(raw bytes: [UInt8]) { http.send(bytes) }

    func send(text: String) { http.send(WebSocketBytes.frame(1, Array(text.utf8))) }

    /// The next frame of any kind but ping.
    func frame() async throws -> HTTPTestClient.Frame { try await http.frameAfterPings() }

    /// Answers the next ping, and waits until the server has read that.
    func answerPing() async throws {
        var frame = try await http.frame()
        while frame.opcode != 9 { frame = try await http.frame() }
        http.send(WebSocketBytes.frame(10, frame.payload))
        send(.with { $0.pingReq.timestamp = 4713 })
        _ = try await next { $0.pongResp.lastPingTimestamp == 4713 ? true : nil }
    }

    /// The next message.
    func next() async throws -> Livekit_SignalResponse {
        let frame = try await frame()
        guard frame.opcode == 2 else { throw HTTPTestClient.Failure.closed }
        return try Livekit_SignalResponse(wireBytes: frame.payload)
    }

    /// The next message in which `pick` finds something; those before it are dropped.
    func next<Value>(_ pick: (Livekit_SignalResponse) -> Value?) async throws -> Value {
        while true { if let value = pick(try await next()) { return value } }
    }

    /// The next update that satisfies `condition` of a participant.
    func participant(
        _ identity: String, _ condition: (Livekit_ParticipantInfo) -> Bool = { _ in true }
    ) async throws -> Livekit_ParticipantInfo {
        try await next { response in
            guard case .update(let update) = response.message else { return nil }
            return update.participants.first { $0.identity == identity && condition($0) }
        }
    }

    /// Drops the connection without a goodbye.
    func drop() { http.close() }

    /// Waits until the server has closed the connection.
    func untilClosed() async throws { _ = try await http.untilClosed() }
}

extension String {
    fileprivate var firstLineEnd: String.Index { firstIndex(of: "\r\n").map { index(after: $0) } ?? endIndex }
}

extension Livekit_SignalResponse {
    /// The leave message, if it is one.
    var leaving: Livekit_LeaveRequest? { if case .leave(let leave) = message { leave } else { nil } }
    var joining: Livekit_JoinResponse? { if case .join(let join) = message { join } else { nil } }
    var published: Livekit_TrackPublishedResponse? {
        if case .trackPublished(let published) = message { published } else { nil }
    }
    var answering: Livekit_SessionDescription? { if case .answer(let answer) = message { answer } else { nil } }
    var offering: Livekit_SessionDescription? { if case .offer(let offer) = message { offer } else { nil } }
    var trickling: Livekit_TrickleRequest? { if case .trickle(let trickle) = message { trickle } else { nil } }
}

/// Tokens of the test server's one key.
enum TestTokens {
    static func join(
        _ identity: String, room: String = "r", expires: Int64 = 600, _ change: (inout VideoGrant) -> Void = { _ in }
    ) -> String {
        let now = Int64(Date().timeIntervalSince1970)
        var claims = TokenClaims(issuer: "key", subject: identity, notBefore: now, expires: now + expires)
        var grant = VideoGrant.join(room: room)
        change(&grant)
        claims.video = grant
        return AccessToken.mint(claims, secret: "secret")
    }
}

/// Runs `body` with a call server on free ports of 127.0.0.1.
@discardableResult
func withCallServer<Result>(
    timing: RoomTiming = RoomTiming(), _ change: (inout CallServerConfiguration) -> Void = { _ in },
    _ body: (CallServer) async throws -> Result
) async throws -> Result {
    var configuration = CallServerConfiguration(keys: ["key": "secret"])
    // Other tests may keep every thread busy for seconds; what is tested here is not that clock.
    configuration.timing.request = 600_000
    configuration.timing.webSocketSilence = 600_000
    configuration.port = 0
    configuration.logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    change(&configuration)
    let server = CallServer(configuration: configuration, timing: timing)
    try await server.start()
    do {
        let result = try await body(server)
        await server.stop()
        return result
    } catch {
        await server.stop()
        throw error
    }
}
