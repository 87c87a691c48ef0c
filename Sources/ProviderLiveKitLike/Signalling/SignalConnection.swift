import CallBridge
import LiveKitProtocol
import SwiftProtobuf
import WebClient

/// A signalling WebSocket: binary frames, one protobuf message each.
struct SignalConnection: Sendable {
    /// What the server said to the request for an upgrade.
    enum Outcome: Sendable {
        case connected(SignalConnection)
        /// An HTTP answer that is no upgrade; `body` is at most a few kilobytes.
        case refused(status: Int, body: String)
    }

    private let socket: WebSocketConnection<Livekit_SignalResponse>

    /// Messages in order. Finishes when the socket is gone.
    var messages: AsyncStream<Livekit_SignalResponse> { socket.messages }

    /// Requests the upgrade of `target`. Throws `CallError` where nothing answers in time.
    static func open(_ target: SignalTarget, token: String, timeout: Double) async throws -> Outcome {
        guard token.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
            throw CallError(
                .configuration, .invalidArgument,
                "the token has a control character; check how it was read, for a line's end")
        }
        let request = WebSocketConnection<Livekit_SignalResponse>.Request(
            target.address, trust: target.trust, target: target.path,
            headers: target.headers(token: token).map { ($0.name, $0.value) }, timeout: timeout)
        do {
            // A message from a newer server that does not decode is left out; the connection goes on.
            let outcome = try await WebSocketConnection.open(request) {
                try? Livekit_SignalResponse(serializedBytes: $0)
            }
            switch outcome {
            case .connected(let socket): return .connected(SignalConnection(socket: socket))
            case .refused(let status, let body): return .refused(status: status, body: body)
            }
        } catch {
            throw SignalDialer.failure(error, target)
        }
    }

    func send(_ message: Livekit_SignalRequest) {
        guard let bytes: [UInt8] = try? message.serializedBytes() else { return }
        socket.send(bytes)
    }

    /// Closes the WebSocket in order; a server that does not take the goodbye within a second is not waited for.
    func close() async { await socket.close() }

    /// Drops the socket without waiting for anything: the path to the server may be dead.
    func abandon() { socket.abandon() }

    /// The same, where it leads from an address of this machine that is gone; whether it did.
    func abandon(from address: String) -> Bool { socket.abandon(from: address) }
}
