import NIOCore
import NIOPosix
import RTCWire

@testable import RTCTransport

/// A plain UDP socket that keeps what it receives.
// Touched on its event loop only.
final class PlainSocket: ChannelInboundHandler, @unchecked Sendable {
    typealias InboundIn = AddressedEnvelope<ByteBuffer>

    let eventLoop: any EventLoop
    private(set) var received: [(bytes: [UInt8], source: TransportAddress, at: Instant)] = []
    /// Sends back what comes, to where it came from.
    var isEcho = false
    private var channel: (any Channel)?
    private var waiting: [(count: Int, promise: EventLoopPromise<Void>)] = []

    private init(eventLoop: any EventLoop) { self.eventLoop = eventLoop }

    /// On one of NIO's loops, which has nothing in common with ours.
    static func bind() async throws -> PlainSocket {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let socket = PlainSocket(eventLoop: eventLoop)
        let channel = try await DatagramBootstrap(group: eventLoop)
            .channelOption(.maxMessagesPerRead, value: 64)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(socket) }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        try await eventLoop.submit { socket.channel = channel }.get()
        return socket
    }

    var address: TransportAddress {
        get async throws {
            try await eventLoop.submit { self.channel?.localAddress.flatMap { TransportAddress($0) } }.get()
                ?? TransportAddress(ipv4: 0, port: 0)
        }
    }

    func send(_ datagrams: [[UInt8]], to address: TransportAddress) {
        eventLoop.execute { [self] in
            for datagram in datagrams {
                channel?.write(
                    AddressedEnvelope(remoteAddress: address.socketAddress, data: ByteBuffer(bytes: datagram)),
                    promise: nil)
            }
            channel?.flush()
        }
    }

    /// Done when that many datagrams have come in all.
    func reached(_ count: Int) -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            let promise = eventLoop.makePromise(of: Void.self)
            if received.count >= count { promise.succeed() } else { waiting.append((count, promise)) }
            return promise.futureResult
        }
    }

    /// What has come, in order.
    func datagrams() async throws -> [[UInt8]] { try await eventLoop.submit { self.received.map(\.bytes) }.get() }

    /// Where datagrams came from, each address once, in order of appearance.
    func sources() async throws -> [TransportAddress] {
        try await eventLoop.submit {
            self.received.reduce(into: []) { if !$0.contains($1.source) { $0.append($1.source) } }
        }.get()
    }

    func close() async throws { try await eventLoop.submit { self.channel }.get()?.close().get() }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let envelope = unwrapInboundIn(data)
        guard let source = TransportAddress(envelope.remoteAddress) else { return }
        received.append((Array(envelope.data.readableBytesView), source, MonotonicClock.now()))
        if isEcho { context.writeAndFlush(NIOAny(envelope), promise: nil) }
        let reached = waiting.filter { $0.count <= received.count }
        waiting.removeAll { $0.count <= received.count }
        for entry in reached { entry.promise.succeed() }
    }
}

/// Counts what comes to a relay.
// Touched on the relay's event loop only.
final class CountingTap: UDPRelayTap, @unchecked Sendable {
    private var count = 0
    private var waiting: (count: Int, promise: EventLoopPromise<Void>)?

    func passed(_ bytes: UnsafeRawBufferPointer, relay: UDPRelay, leg: Int, _ direction: RelayDirection) {
        count += 1
        guard let waiting, count >= waiting.count else { return }
        self.waiting = nil
        waiting.promise.succeed()
    }

    /// Done when that many datagrams have come in all.
    func reached(_ wanted: Int, on eventLoop: any EventLoop) -> EventLoopFuture<Void> {
        eventLoop.flatSubmit { [self] in
            let promise = eventLoop.makePromise(of: Void.self)
            if count >= wanted { promise.succeed() } else { waiting = (wanted, promise) }
            return promise.futureResult
        }
    }
}

/// A relay before an echoing server, with participants.
struct RelayScene {
    let loop: DatagramLoop
    let relay: UDPRelay
    let server: PlainSocket
    let tap: CountingTap

    static func run(
        _ configuration: RelayConfiguration = .init(), echo: Bool = true, _ body: (RelayScene) async throws -> Void
    ) async throws {
        let loop = try DatagramLoop()
        let relay = try await UDPRelay.bind(on: loop, host: "127.0.0.1", configuration: configuration).get()
        let server = try await PlainSocket.bind()
        relay.target = try await server.address
        let tap = CountingTap()
        try await server.eventLoop.submit { server.isEcho = echo }.get()
        try await loop.submit { relay.tap = tap }.get()
        try await body(RelayScene(loop: loop, relay: relay, server: server, tap: tap))
        try await relay.close().get()
        try await server.close()
        try await loop.shutdownGracefully()
    }

    func participant() async throws -> PlainSocket { try await PlainSocket.bind() }

    func statistics(_ direction: RelayDirection) async throws -> RelayStatistics {
        try await loop.submit { relay.statistics(direction) }.get()
    }
}
