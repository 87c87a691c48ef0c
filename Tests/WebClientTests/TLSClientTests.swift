import NIOCore
import NIOPosix
import NIOSSL
import Testing

@testable import TransportSecurity

/// TLS on sockets, by itself.
@Suite(.timeLimit(.minutes(10))) struct TLSClientTests {
    /// Sends everything back.
    private final class Echo: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.writeAndFlush(data, promise: nil) }
    }

    /// Collects so many bytes.
    private final class Collector: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer
        private let promise: EventLoopPromise<[UInt8]>
        private let count: Int
        private var bytes: [UInt8] = []

        init(_ count: Int, _ promise: EventLoopPromise<[UInt8]>) {
            self.count = count
            self.promise = promise
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            bytes += Array(unwrapInboundIn(data).readableBytesView)
            if bytes.count >= count { promise.succeed(bytes) }
        }

        func channelInactive(context: ChannelHandlerContext) { promise.fail(ChannelError.eof) }
    }

    private static func echoServer(_ certificate: TestCertificate) async throws -> any Channel {
        let context = try TLSServer.context(certificateFile: certificate.certificate, keyFile: certificate.key)
        return try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandlers([
                        NIOSSLServerHandler(context: context), Echo(),
                    ])
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    private static func connect(
        _ port: Int, _ trust: TLSTrust, host: String = "localhost", expecting count: Int = 1
    ) async throws -> (any Channel, EventLoopFuture<Void>, EventLoopFuture<[UInt8]>) {
        let tls = try TLSClient.shared(trust)
        return try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    let ready = try tls.secure(channel, host: host, peer: "\(host):\(port)")
                    let promise = channel.eventLoop.makePromise(of: [UInt8].self)
                    try channel.pipeline.syncOperations.addHandler(Collector(count, promise))
                    return (channel, ready, promise.futureResult)
                }
            }
    }

    @Test func megabytesComeBackAsTheyWere() async throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        let server = try await Self.echoServer(certificate)
        let sent = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 2_654_435_761 >> 7) }
        let (channel, ready, received) = try await Self.connect(
            server.localAddress?.port ?? 0, TLSTrust(rootsFile: certificate.root), expecting: sent.count)
        // Written before the handshake: it must wait, and lose nothing. Pieces of many sizes, an empty one too.
        var offset = 0
        for size in [0, 1, 16_384, 16_385, 100_000, sent.count] {
            let end = min(sent.count, offset + size)
            channel.write(channel.allocator.buffer(bytes: sent[offset..<end]), promise: nil)
            offset = end
        }
        channel.flush()
        try await ready.get()
        #expect(try await received.get() == sent)
        try await channel.close()
        try await server.close()
    }

    @Test func closingTellsTheOtherSide() async throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        let server = try await Self.echoServer(certificate)
        let (channel, ready, received) = try await Self.connect(
            server.localAddress?.port ?? 0, TLSTrust(rootsFile: certificate.root))
        try await ready.get()
        channel.close(mode: .output, promise: nil)
        // The server answers close_notify with its own and closes.
        await #expect(throws: ChannelError.self) { try await received.get() }
        try await channel.closeFuture.get()
        try await server.close()
    }

    @Test(arguments: ["unknown root", "other name", "outdated"])
    func certificatesThatProveNothingAreRefused(fault: String) async throws {
        let certificate = try TestCertificate(
            names: fault == "other name" ? "DNS:elsewhere.example,IP:192.0.2.1" : "DNS:localhost",
            valid: fault == "outdated" ? -7200 ... -3600 : -60...3600)
        defer { certificate.remove() }
        let server = try await Self.echoServer(certificate)
        let port = server.localAddress?.port ?? 0
        let trust = TLSTrust(rootsFile: fault == "unknown root" ? nil : certificate.root)
        let (_, ready, received) = try await Self.connect(port, trust)
        let error = await #expect(throws: TLSError.self) { try await ready.get() }
        await #expect(throws: (any Error).self) { try await received.get() }
        let text = "\(try #require(error))"
        #expect(text.contains("localhost:\(port)"))
        switch error {
        case .untrusted: #expect(fault == "unknown root" && text.contains("--ca-file"))
        case .otherName: #expect(fault == "other name")
        case .outdated: #expect(fault == "outdated" && text.contains("renew"))
        default: Issue.record("\(text)")
        }
        try await server.close()
    }

    /// OpenSSL takes an empty name for no name, and verifies none.
    @Test func anEmptyNameIsNobodys() throws {
        let certificate = try TestCertificate()
        defer { certificate.remove() }
        let verifier = try CertificateVerifier(TLSTrust(rootsFile: certificate.root))
        let chain = try NIOSSLCertificate.fromPEMFile(certificate.certificate).map { try $0.toDERBytes() }
        #expect(verifier.judge(chain, host: "localhost", peer: "it") == nil)
        #expect(verifier.judge(chain, host: "", peer: "it") != nil)
    }

    @Test func anEndWithoutGoodbyeHasWords() {
        #expect(SocketFault.words(NIOSSLError.uncleanShutdown) == "the connection was closed without a goodbye")
    }

    @Test func addressesAreVerifiedAsAddresses() async throws {
        let certificate = try TestCertificate(names: "IP:127.0.0.1")
        defer { certificate.remove() }
        let server = try await Self.echoServer(certificate)
        let port = server.localAddress?.port ?? 0
        let trust = TLSTrust(rootsFile: certificate.root)
        let (channel, ready, _) = try await Self.connect(port, trust, host: "127.0.0.1")
        try await ready.get()
        try await channel.close()
        let (_, refused, received) = try await Self.connect(port, trust, host: "127.0.0.2")
        await #expect(throws: TLSError.otherName(peer: "127.0.0.2:\(port)")) { try await refused.get() }
        await #expect(throws: (any Error).self) { try await received.get() }
        try await server.close()
    }

    @Test func filesThatAreNoneAreNamed() throws {
        let one = try TestCertificate()
        let two = try TestCertificate()
        defer {
            one.remove()
            two.remove()
        }
        #expect(throws: TLSError.foreignKey(certificate: one.certificate, key: two.key)) {
            try TLSServer.context(certificateFile: one.certificate, keyFile: two.key)
        }
        for (certificate, key, named) in [
            ("/no/such.pem", one.key, "/no/such.pem"), (one.key, one.key, one.key),
            (one.certificate, "/no/such.key", "/no/such.key"),
        ] {
            let error = #expect(throws: TLSError.self) {
                try TLSServer.context(certificateFile: certificate, keyFile: key)
            }
            #expect("\(try #require(error))".contains(named))
        }
        let error = #expect(throws: TLSError.self) { try TLSClient.shared(TLSTrust(rootsFile: "/no/roots.pem")) }
        #expect("\(try #require(error))".contains("/no/roots.pem"))
    }
}
