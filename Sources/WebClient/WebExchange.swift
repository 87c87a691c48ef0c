import AsyncHTTPClient
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization

/// One request and its answer, by AsyncHTTPClient.
struct WebExchange {
    let request: WebRequest
    let address: WebAddress
    /// Whether the answer may take as long as it likes, as long as something comes.
    let isStream: Bool

    /// Returns when the answer's head has come. Throws what AsyncHTTPClient and NIO throw, and `TLSError`.
    func run() async throws -> WebStream {
        let pool = try WebPool.shared(request.trust, address)
        let began = NIODeadline.now()
        let limit = TimeAmount.milliseconds(Int64(request.timeout * 1000))
        let response = try await answer(from: pool.client, deadline: began + limit)
        let (body, continuation) = AsyncThrowingStream.makeStream(of: [UInt8].self)
        let timer = WebTimer { continuation.finish(throwing: WebFailure.timedOut) }
        timer.set(isStream ? .now() + limit : began + limit)
        let isStream = isStream
        let reader = Task {
            do {
                for try await bytes in response.body {
                    if isStream { timer.set(.now() + limit) }
                    continuation.yield(Array(bytes.readableBytesView))
                }
                continuation.finish()
            } catch {
                continuation.finish(throwing: WebFailure(error))
            }
            timer.cancel()
            withExtendedLifetime(pool) {}
        }
        // Who stops reading, or has waited too long, ends the connection.
        continuation.onTermination = { _ in reader.cancel() }
        return WebStream(status: Int(response.status.code), headers: response.headers, body: body, reader: reader)
    }

    /// A connection that was kept open may be closed by the server while a request is on its way: one that may be made twice is made once
    /// more then (RFC 9110 section 9.2.2).
    private func answer(from client: HTTPClient, deadline: NIODeadline) async throws -> HTTPClientResponse {
        do {
            return try await client.execute(asked(), deadline: deadline)
        } catch {
            guard request.method.isIdempotent, Self.isClosing(error) else { throw error }
            return try await client.execute(asked(), deadline: deadline)
        }
    }

    private static func isClosing(_ error: any Error) -> Bool {
        switch error {
        case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
        case ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelError.eof: true
        default: error as? HTTPClientError == .remoteConnectionClosed
        }
    }

    /// As AsyncHTTPClient takes it; TLS is below. Throws `WebFailure` where it would read another server out of it than the one that was judged.
    private func asked() throws -> HTTPClientRequest {
        let host = address.host.contains(":") ? "[\(address.host)]" : address.host
        let text = "http://\(host):\(address.port)\(request.target)"
        guard let read = URLComponents(string: text).flatMap({ try? WebAddress($0) }),
            read.host == address.host, read.port == address.port, URL(string: text)?.host()?.isEmpty == false
        else { throw WebFailure.notAURL }
        var result = HTTPClientRequest(url: text)
        result.method = HTTPMethod(rawValue: request.method.name)
        result.headers = HTTPHeaders(request.headers.map { ($0.name, $0.value) })
        result.headers.replaceOrAdd(name: "Host", value: address.authority)
        if request.method != .get || !request.body.isEmpty { result.body = .bytes(ByteBuffer(bytes: request.body)) }
        return result
    }
}

/// Calls once, unless it is put off or cancelled.
private final class WebTimer: Sendable {
    private let scheduled = Mutex<Scheduled<Void>?>(nil)
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) { self.action = action }

    func set(_ deadline: NIODeadline) {
        replace(MultiThreadedEventLoopGroup.singleton.any().scheduleTask(deadline: deadline) { [action] in action() })
    }

    func cancel() { replace(nil) }

    private func replace(_ next: Scheduled<Void>?) {
        let last = scheduled.withLock { scheduled in
            defer { scheduled = next }
            return scheduled
        }
        last?.cancel()
    }
}
