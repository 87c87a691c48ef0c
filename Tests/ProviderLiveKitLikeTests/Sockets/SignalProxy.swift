import NIOCore
import NIOPosix
import Synchronization

/// Stands between a client and the server's signalling port, and can be torn down, silenced or closed.
final class SignalProxy: Sendable {
    private struct State {
        var pairs: [(any Channel, any Channel)] = []
        var isSilent = false
        var refuses = false
        var accepted = 0
        /// The servers' sides of connections on which nothing passes for now, and what they have said since.
        var held: Set<ObjectIdentifier> = []
        var kept: [(any Channel, ByteBuffer?)] = []
        /// Bytes that others of the same number take the place of.
        var rewriting: (old: [UInt8], new: [UInt8])?
    }

    private let listener: any Channel
    private let state = Mutex(State())

    private init(listener: any Channel) {
        self.listener = listener
    }

    /// Listens on a port of 127.0.0.1 and leads to `port`.
    static func start(leadingTo port: Int) async throws -> SignalProxy {
        let group = MultiThreadedEventLoopGroup.singleton
        let box = Box()
        let listener = try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                guard let proxy = box.proxy else { return channel.close() }
                return proxy.accept(channel, port: port)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let proxy = SignalProxy(listener: listener)
        box.proxy = proxy
        return proxy
    }

    private final class Box: Sendable {
        private let held = Mutex<SignalProxy?>(nil)
        var proxy: SignalProxy? {
            get { held.withLock { $0 } }
            set { held.withLock { $0 = newValue } }
        }
    }

    var port: Int { listener.localAddress?.port ?? 0 }

    /// How many connections were let through.
    var accepted: Int { state.withLock { $0.accepted } }

    /// Closes all connections; new ones are welcome.
    func cut() {
        let pairs = state.withLock { state in
            defer { state.pairs = [] }
            return state.pairs
        }
        for (client, server) in pairs {
            client.close(promise: nil)
            server.close(promise: nil)
        }
    }

    /// While silent nothing passes, and nothing is closed: a path that swallows everything.
    func setSilent(_ isSilent: Bool) { state.withLock { $0.isSilent = isSilent } }

    /// Keeps back what the server says on the connections that stand now, their end too, until `release`.
    func hold() { state.withLock { state in state.held = Set(state.pairs.map { ObjectIdentifier($0.1) }) } }

    func release() {
        let kept = state.withLock { state in
            defer { (state.held, state.kept) = ([], []) }
            return state.kept
        }
        for (client, bytes) in kept {
            if let bytes { client.writeAndFlush(bytes, promise: nil) } else { client.close(promise: nil) }
        }
    }

    /// Keeps bytes, or with none the end, where the connection is held.
    fileprivate func keeps(_ bytes: ByteBuffer?, from server: any Channel, to client: any Channel) -> Bool {
        state.withLock { state in
            guard state.held.contains(ObjectIdentifier(server)) else { return false }
            state.kept.append((client, bytes))
            return true
        }
    }

    /// While it refuses, new connections are closed at once.
    func setRefusing(_ refuses: Bool) { state.withLock { $0.refuses = refuses } }

    /// From now on one text becomes another one of the same length, so that no length around it changes.
    func rewrite(_ old: String, as new: String) {
        precondition(old.utf8.count == new.utf8.count)
        state.withLock { $0.rewriting = (Array(old.utf8), Array(new.utf8)) }
    }

    fileprivate func rewritten(_ buffer: ByteBuffer, with rewriter: inout Rewriter) -> ByteBuffer {
        guard let (old, new) = state.withLock({ $0.rewriting }) else { return buffer }
        return ByteBuffer(bytes: rewriter.rewrite(buffer.readableBytesView, old: old, new: new))
    }

    func stop() async {
        cut()
        try? await listener.close()
    }

    private func accept(_ client: any Channel, port: Int) -> EventLoopFuture<Void> {
        let refuses = state.withLock { $0.refuses }
        guard !refuses else { return client.close() }
        return ClientBootstrap(group: client.eventLoop).connect(host: "127.0.0.1", port: port).flatMap { server in
            self.state.withLock {
                $0.pairs.append((client, server))
                $0.accepted += 1
            }
            return client.pipeline.addHandler(Pipe(other: server, proxy: self)).flatMap {
                server.pipeline.addHandler(Pipe(other: client, proxy: self))
            }
        }
    }

    fileprivate var isSilent: Bool { state.withLock { $0.isSilent } }
}

/// Replaces a text in a stream, also where one read ends within it.
private struct Rewriter {
    /// The beginning of the text with which the stream ends so far.
    private var tail: [UInt8] = []
    /// How much of `tail` has been passed on: what the two texts have in common is not kept back, so that nobody waits for it.
    private var passed = 0

    mutating func rewrite(_ bytes: some Sequence<UInt8>, old: [UInt8], new: [UInt8]) -> ArraySlice<UInt8> {
        let all = tail + bytes
        let common = zip(old, new).prefix { $0 == $1 }.count
        let length = (0..<old.count).last { all.suffix($0).elementsEqual(old.prefix($0)) && $0 <= all.count } ?? 0
        let kept = max(0, length - common)
        let result = all.replacing(old, with: new).dropFirst(passed).dropLast(kept)
        (tail, passed) = (Array(old.prefix(length)), length - kept)
        return result
    }
}

private final class Pipe: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer

    private let other: any Channel
    private let proxy: SignalProxy
    private let rewriter = Mutex(Rewriter())

    init(other: any Channel, proxy: SignalProxy) {
        self.other = other
        self.proxy = proxy
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !proxy.isSilent else { return }
        let bytes = rewriter.withLock { proxy.rewritten(unwrapInboundIn(data), with: &$0) }
        guard !proxy.keeps(bytes, from: context.channel, to: other) else { return }
        other.writeAndFlush(bytes, promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard !proxy.isSilent, !proxy.keeps(nil, from: context.channel, to: other) else { return }
        other.close(promise: nil)
    }
}
