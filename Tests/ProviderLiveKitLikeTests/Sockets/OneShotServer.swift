import Foundation
import LiveKitProtocol
import NIOCore
import NIOPosix
import SwiftProtobuf
import Synchronization
import TransportSecurity

/// A signalling server that says all it has to say in one segment with its answer to the upgrade, and closes the
/// connection at once, without a goodbye.
final class OneShotServer: Sendable {
    private let listener: any Channel
    private let log: RequestLog

    fileprivate final class RequestLog: Sendable {
        private let heads = Mutex<[String]>([])
        var all: [String] { heads.withLock { $0 } }

        func note(_ head: String) -> Int {
            heads.withLock { heads in
                heads.append(head)
                return heads.count - 1
            }
        }
    }

    private init(listener: any Channel, log: RequestLog) {
        self.listener = listener
        self.log = log
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// Of each request for an upgrade, in order, whether it resumes a session.
    var resumes: [Bool] { log.all.filter { $0.contains("Upgrade:") }.map(Self.resumes) }

    /// - Parameter script: what the `n`th request (from 0) is told; nil refuses it for good.
    static func start(
        _ script: @escaping @Sendable (Int) -> [Livekit_SignalResponse]?
    ) async throws -> OneShotServer {
        let log = RequestLog()
        let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OneShot(script: script, log: log))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        return OneShotServer(listener: listener, log: log)
    }

    func stop() async { try? await listener.close() }

    private static func resumes(_ head: String) -> Bool {
        guard !head.contains("reconnect=1") else { return true }
        guard let start = head.range(of: "join_request=")?.upperBound,
            let escaped = head[start...].prefix(while: { $0 != " " && $0 != "&" }).removingPercentEncoding,
            let bytes = Base64.decode(escaped), let wrapped = try? Livekit_WrappedJoinRequest(serializedBytes: bytes),
            let plain = wrapped.compression == .gzip
                ? try? Gzip.decompress(Array(wrapped.joinRequest), limit: 1 << 20) : Array(wrapped.joinRequest)
        else { return false }
        return (try? Livekit_JoinRequest(serializedBytes: plain))?.reconnect ?? false
    }
}

private final class OneShot: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let script: @Sendable (Int) -> [Livekit_SignalResponse]?
    private let log: OneShotServer.RequestLog
    private var head = ""

    init(script: @escaping @Sendable (Int) -> [Livekit_SignalResponse]?, log: OneShotServer.RequestLog) {
        self.script = script
        self.log = log
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let wasWhole = head.contains("\r\n\r\n")
        head += String(buffer: unwrapInboundIn(data))
        guard !wasWhole, head.contains("\r\n\r\n") else { return }
        var answer = ByteBuffer(string: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 6\r\n\r\nenough")
        let number = log.note(head)
        if head.contains("Upgrade:"), let messages = script(number) { answer = upgrade(messages) }
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
        context.close(promise: nil)
    }

    private func upgrade(_ messages: [Livekit_SignalResponse]) -> ByteBuffer {
        let key =
            head.components(separatedBy: "\r\n").first { $0.hasPrefix("Sec-WebSocket-Key: ") }?.dropFirst(19) ?? ""
        let digest = SHA1Digest.of(Array("\(key)258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
        var result = ByteBuffer(
            string: "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Accept: \(Base64.encode(digest))\r\n\r\n")
        for message in messages {
            guard let bytes: [UInt8] = try? message.serializedBytes() else { continue }
            // One final binary frame of less than 64 kilobytes (RFC 6455 section 5.2).
            result.writeBytes([0x82, 126, UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + bytes)
        }
        return result
    }
}
