import NIOCore
import NIOPosix

/// A TCP client that sends and reads raw bytes: what a well-behaved client would never send, too.
final class HTTPTestClient: Sendable {
    /// The connection ended, or a guard time passed, before what was awaited had come.
    enum Failure: Error {
        case closed
        case timedOut
    }

    struct Response: Sendable {
        var status: Int
        var fields: [String: String]
        var body: String
    }

    /// A frame from the server, which never masks.
    struct Frame: Sendable, Hashable {
        var opcode: UInt8
        var payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// Of a close frame.
        var closeCode: Int? {
            opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil
        }
    }

    private let channel: any Channel
    private let inbox: NIOLoopBound<Inbox>

    private init(channel: any Channel, inbox: NIOLoopBound<Inbox>) {
        self.channel = channel
        self.inbox = inbox
    }

    static func connect(_ port: Int, reads: Bool = true) async throws -> HTTPTestClient {
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .channelOption(.autoRead, value: reads)
        return try await bootstrap.connect(host: "127.0.0.1", port: port)
            .flatMapThrowing { channel in
                let inbox = Inbox()
                try channel.pipeline.syncOperations.addHandler(inbox)
                return HTTPTestClient(
                    channel: channel, inbox: NIOLoopBound(inbox, eventLoop: channel.eventLoop))
            }.get()
    }

    func send(_ text: String) { channel.writeAndFlush(ByteBuffer(string: text), promise: nil) }

    func send(_ bytes: [UInt8]) { channel.writeAndFlush(ByteBuffer(bytes: bytes), promise: nil) }

    /// Sends, and waits until the kernel has taken it.
    func deliver(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)) }

    /// Whether what comes is read.
    func setReading(_ reads: Bool) async throws { try await channel.setOption(.autoRead, value: reads).get() }

    func close() { channel.close(promise: nil) }

    /// Waits until the server has closed the connection, and returns what had come and was not taken.
    func untilClosed() async throws -> [UInt8] {
        try await channel.closeFuture.get()
        return try await channel.eventLoop.submit { [inbox] in Array(inbox.value.bytes.readableBytesView) }.get()
    }

    /// The next response. To a request with HEAD it has no body.
    func response(toHead: Bool = false) async throws -> Response {
        try await take { Self.response(from: &$0, toHead: toHead) }
    }

    /// What has come, up to and with `end`.
    func text(until end: String) async throws -> String {
        try await take { bytes in
            let text = String(buffer: bytes)
            guard let found = text.range(of: end) else { return nil }
            let part = String(text[..<found.upperBound])
            bytes.moveReaderIndex(forwardBy: part.utf8.count)
            return part
        }
    }

    /// The next frame.
    func frame() async throws -> Frame { try await take(Self.frame) }

    /// The next frame that is no ping. Ends with its task: pings alone would keep it waiting beyond a test's time limit.
    func frameAfterPings() async throws -> Frame {
        while true {
            let frame = try await frame()
            try Task.checkCancellation()
            if frame.opcode != 9 { return frame }
        }
    }

    /// What `parse` finds in the bytes that have come, once it finds something.
    private func take<Value: Sendable>(
        _ parse: @escaping @Sendable (inout ByteBuffer) -> Value?
    ) async throws -> Value {
        let promise = channel.eventLoop.makePromise(of: Value.self)
        let guardTime = channel.eventLoop.scheduleTask(in: .seconds(20)) { promise.fail(Failure.timedOut) }
        channel.eventLoop.execute { [inbox] in
            inbox.value.wait { bytes, isClosed in
                if let value = parse(&bytes) {
                    promise.succeed(value)
                } else if isClosed {
                    promise.fail(Failure.closed)
                } else {
                    return false
                }
                guardTime.cancel()
                return true
            }
        }
        return try await promise.futureResult.get()
    }

    private static func response(from bytes: inout ByteBuffer, toHead: Bool) -> Response? {
        let text = String(buffer: bytes)
        guard let end = text.range(of: "\r\n\r\n") else { return nil }
        let lines = text[..<end.lowerBound].split(separator: "\r\n")
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            let parts = line.split(separator: ":", maxSplits: 1)
            fields[parts[0].lowercased()] = parts.count > 1 ? parts[1].drop { $0 == " " }.description : ""
        }
        let status = lines.first.flatMap { Int($0.split(separator: " ").dropFirst().first ?? "") } ?? 0
        let length = toHead ? 0 : Int(fields["content-length"] ?? "") ?? 0
        let headLength = text[..<end.upperBound].utf8.count
        guard bytes.readableBytes >= headLength + length else { return nil }
        bytes.moveReaderIndex(forwardBy: headLength)
        return Response(status: status, fields: fields, body: bytes.readString(length: length) ?? "")
    }

    private static func frame(from bytes: inout ByteBuffer) -> Frame? {
        var rest = bytes
        guard let first = rest.readInteger(as: UInt8.self), let second = rest.readInteger(as: UInt8.self) else {
            return nil
        }
        let length: Int?
        switch second {
        case 126: length = rest.readInteger(as: UInt16.self).map(Int.init)
        case 127: length = rest.readInteger(as: UInt64.self).map(Int.init)
        default: length = Int(second)
        }
        guard let length, let payload = rest.readBytes(length: length) else { return nil }
        bytes = rest
        return Frame(opcode: first & 0x0f, payload: payload)
    }
}

/// What has come in, and who waits for it.
private final class Inbox: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    /// Says whether it is satisfied.
    typealias Waiter = (inout ByteBuffer, _ isClosed: Bool) -> Bool

    var bytes = ByteBuffer()
    private var isClosed = false
    private var waiter: Waiter?

    func wait(_ waiter: @escaping Waiter) { if !waiter(&bytes, isClosed) { self.waiter = waiter } }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        var more = unwrapInboundIn(data)
        bytes.writeBuffer(&more)
        check()
    }

    func channelInactive(context: ChannelHandlerContext) {
        isClosed = true
        check()
    }

    // A reset is an end like any other.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func check() { if let waiter, waiter(&bytes, isClosed) { self.waiter = nil } }
}

extension String {
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let (all, part) = (Array(utf8), Array(text.utf8))
        guard all.count >= part.count else { return nil }
        for start in 0...(all.count - part.count) where all[start] == part[0] {
            guard Array(all[start..<(start + part.count)]) == part else { continue }
            let lower = utf8.index(utf8.startIndex, offsetBy: start)
            return lower..<utf8.index(lower, offsetBy: part.count)
        }
        return nil
    }
}
