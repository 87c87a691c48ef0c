import Logging
import NIOConcurrencyHelpers
import NIOCore
import NIOPosix

@testable import CallServer

/// Runs `body` with a server on a free port of 127.0.0.1.
func withHTTPServer<Result>(
    _ router: HTTPRouter, limits: HTTPLimits = .init(), _ body: (HTTPServer) async throws -> Result
) async throws -> Result {
    let server = try await HTTPServer.listen(
        group: MultiThreadedEventLoopGroup.singleton, host: "127.0.0.1", port: 0, router: router, limits: limits,
        logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
    ).get()
    do {
        let result = try await body(server)
        await server.close()
        return result
    } catch {
        await server.close()
        throw error
    }
}

/// Notes what comes in, and sends it back.
final class TestReceiver: SignalReceiver {
    private let channel: SignalChannel
    private let ended: AsyncStream<[SignalMessage]>.Continuation?
    private let confirmations: AsyncStream<Int>.Continuation?
    private let messages = NIOLockedValueBox<[SignalMessage]>([])

    /// - Parameters:
    ///   - ended: gets all messages when the connection is over.
    ///   - confirmations: gets the numbers that the client's pongs confirm.
    init(
        _ channel: SignalChannel, ended: AsyncStream<[SignalMessage]>.Continuation? = nil,
        confirmations: AsyncStream<Int>.Continuation? = nil
    ) {
        self.channel = channel
        self.ended = ended
        self.confirmations = confirmations
    }

    func confirmed(_ count: Int) { confirmations?.yield(count) }

    func received(_ message: SignalMessage) {
        messages.withLockedValue { $0.append(message) }
        channel.send(message)
    }

    func disconnected() { ended?.yield(messages.withLockedValue { $0 }) }
}

/// A WebSocket route at `/ws` whose connections do what `onOpen` says and then echo.
struct WebSocketFixture {
    let router: HTTPRouter
    private let ended: AsyncStream<[SignalMessage]>
    /// What pongs have confirmed.
    let confirmations: AsyncStream<Int>

    init(onOpen: @escaping @Sendable (SignalChannel) -> Void = { _ in }) {
        let (stream, continuation) = AsyncStream.makeStream(of: [SignalMessage].self)
        ended = stream
        let (confirmations, confirmed) = AsyncStream.makeStream(of: Int.self)
        self.confirmations = confirmations
        var router = HTTPRouter()
        router.webSocket("/ws", plain: { _ in .notFound }) { request in
            guard request["token"] != "bad" else { return .refuse(HTTPResponse(.unauthorized, "wrong token")) }
            return .accept { channel in
                onOpen(channel)
                return TestReceiver(channel, ended: continuation, confirmations: confirmed)
            }
        }
        self.router = router
    }

    /// Waits until a connection is over, and returns all its messages.
    func messages() async -> [SignalMessage]? { await ended.first { _ in true } }
}

/// The bytes of what clients send.
enum WebSocketBytes {
    static func handshake(
        _ target: String = "/ws", version: String = "13", key: String = "dGhlIHNhbXBsZSBub25jZQ=="
    ) -> String {
        "GET \(target) HTTP/1.1\r\nHost: server.example.com\r\nUpgrade: websocket\r\nConnection: keep-alive, Upgrade\r\n"
            + "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: \(version)\r\n\r\n"
    }

    /// RFC 6455 section 5.2.
    static func frame(
        _ opcode: UInt8, _ payload: [UInt8] = [], fin: Bool = true, reserved: UInt8 = 0, isMasked: Bool = true
    ) -> [UInt8] {
        var bytes: [UInt8] = [(fin ? 0x80 : 0) | reserved << 4 | opcode]
        let mask: [UInt8] = isMasked ? [0x37, 0xfa, 0x21, 0x3d] : []
        let flag: UInt8 = isMasked ? 0x80 : 0
        switch payload.count {
        case ..<126: bytes.append(flag | UInt8(payload.count))
        case ..<65_536: bytes += [flag | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        default: bytes += [flag | 127] + (0..<8).map { UInt8(truncatingIfNeeded: payload.count >> (56 - 8 * $0)) }
        }
        bytes += mask
        return bytes + (isMasked ? payload.enumerated().map { $1 ^ mask[$0 % 4] } : payload)
    }
}

extension HTTPTestClient {
    /// A client whose WebSocket stands.
    ///
    /// - Parameter readsOn: reads what comes behind the handshake.
    static func webSocket(_ port: Int, readsOn: Bool = true) async throws -> HTTPTestClient {
        let client = try await connect(port)
        client.send(WebSocketBytes.handshake())
        let response = try await client.response()
        guard response.status == 101 else { throw Failure.closed }
        if !readsOn { try await client.setReading(false) }
        return client
    }
}
