import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Collects what a flow reports.
// Touched on the flow's event loop only.
private final class Collector: PeerFlowHandler, @unchecked Sendable {
    var packets: [(sequence: Int64, payload: [UInt8])] = []
    let connected: EventLoopPromise<Void>
    let enough: EventLoopPromise<Void>?
    private let wanted: Int

    init(loop: any EventLoop, wanted: Int) {
        connected = loop.makePromise()
        enough = wanted > 0 ? loop.makePromise() : nil
        self.wanted = wanted
    }

    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        packets.append((packet.sequence, Array(buffer[packet.payload])))
        if packets.count == wanted { enough?.succeed() }
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        if case .connected = event { connected.succeed() }
    }
}

/// A server's mux with many peers and an agent's mux each, on real sockets.
@Suite(.timeLimit(.minutes(10))) struct LoopbackTests {
    private static let packetCount = 200

    @Test(arguments: [SRTPBackend.libcrypto, .libsrtp2])
    func peersShareAPort(backend: SRTPBackend) async throws {
        let loop = try DatagramLoop()
        let server = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        var settings = UDPMuxConfiguration()
        settings.isExclusive = true
        for index in 0..<3 {
            let client = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0, configuration: settings).get()
            let received = try await loop.flatSubmit {
                Self.exchange(server: server, client: client, ssrc: UInt32(1000 + index), backend: backend)
            }.get()
            #expect(received == (0..<Self.packetCount).map { [UInt8(truncatingIfNeeded: $0), UInt8(index)] })
            #expect(try await loop.submit { client.statistics.unknownSource }.get() == 0)
            try await client.close().get()
        }
        #expect(try await loop.submit { server.flowCount }.get() == 3)
        try await server.refreshKernelDrops().get()
        #expect(try await loop.submit { server.statistics.receiveBufferDrops }.get() == 0)
        try await server.close().get()
        try await loop.shutdownGracefully()
    }

    /// Connects a peer on `client` with a new one on `server`, sends packets, and gives the payloads that arrived.
    private static func exchange(
        server: UDPMux, client: UDPMux, ssrc: UInt32, backend: SRTPBackend
    ) -> EventLoopFuture<[[UInt8]]> {
        let loop = server.eventLoop
        do {
            let near = Collector(loop: loop, wanted: 0)
            let far = Collector(loop: loop, wanted: packetCount)
            let sender = try makeFlow(client, .controlling, near, backend)
            let receiver = try makeFlow(server, .controlled, far, backend)
            introduce(sender, to: receiver, role: .client)
            introduce(receiver, to: sender, role: .server)
            let stream = SendStreamConfiguration(ssrc: ssrc, payloadType: 100, clockRate: 48_000, kind: .audio)
            sender.perform { peer, _, _ in peer.addSendStream(stream) }
            let codec = ReceiveMap.Codec(payloadType: 100, clockRate: 48_000)
            let line = ReceiveMap.Line(
                index: 0, kind: .audio, mid: nil, codecs: [codec], extensionMap: RTPExtensionMap(),
                sources: [.init(ssrc: ssrc)])
            receiver.perform { peer, _, _ in peer.setReceiveMap(ReceiveMap(lines: [line])) }
            return near.connected.futureResult.and(far.connected.futureResult).flatMap { _ in
                for number in 0..<packetCount {
                    sender.perform { peer, outbox, now in
                        let payload = [UInt8(truncatingIfNeeded: number), UInt8(ssrc - 1000)]
                        payload.withUnsafeBytes {
                            _ = peer.send(
                                ssrc: ssrc, marker: false, timestamp: UInt32(number) * 960, extensions: RTPExtensions(),
                                payload: $0, now: now, into: outbox)
                        }
                    }
                }
                return far.enough?.futureResult ?? loop.makeSucceededVoidFuture()
            }.map { far.packets.sorted { $0.sequence < $1.sequence }.map(\.payload) }
        } catch {
            return loop.makeFailedFuture(error)
        }
    }

    private static func makeFlow(
        _ mux: UDPMux, _ role: ICERole, _ handler: Collector, _ backend: SRTPBackend
    ) throws -> PeerFlow {
        var configuration = PeerConfiguration(iceRole: role, certificate: try DTLSCertificate.generate())
        configuration.srtpBackend = backend
        let flow = try #require(mux.makeFlow(configuration: configuration, handler: handler))
        flow.perform { peer, _, _ in peer.addLocalCandidate(mux.localAddress) }
        return flow
    }

    private static func introduce(_ flow: PeerFlow, to other: PeerFlow, role: DTLSRole) {
        let candidate = other.peer.localCandidates[0].sdp(ufrag: other.peer.localCredentials.ufrag)
        let (credentials, fingerprint) = (other.peer.localCredentials, other.peer.localFingerprint)
        flow.perform { peer, outbox, now in
            peer.setRemote(
                credentials: credentials, fingerprint: fingerprint, dtlsRole: role, now: now, into: outbox)
            peer.addRemoteCandidate(candidate, now: now, into: outbox)
        }
    }

    @Test func portInUseIsExplained() async throws {
        let loop = try DatagramLoop()
        let first = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        let port = Int(first.localAddress.port)
        let error = await #expect(throws: UDPBindError.self) {
            _ = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: port).get()
        }
        #expect(error?.description.contains("127.0.0.1:\(port)") == true)
        try await first.close().get()
        try await loop.shutdownGracefully()
    }
}

/// One destination that can't be reached must not cost the others their port.
@Suite(.timeLimit(.minutes(10))) struct UnreachableDestinationTests {
    @Test func aRefusedDestinationLeavesThePortOpen() async throws {
        let loop = try DatagramLoop()
        let mux = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        let other = try await UDPMux.bind(on: loop, host: "127.0.0.1", port: 0).get()
        // A socket bound to 127.0.0.1 may not send off this machine: the kernel says EINVAL.
        let far = TransportAddress(ipv4: 0xcb00_7109, port: 9)
        let destinations = [far, other.localAddress, far, far, other.localAddress]
        try await loop.submit {
            let configuration = PeerConfiguration(iceRole: .controlled, certificate: try DTLSCertificate.generate())
            let flow = try #require(mux.makeFlow(configuration: configuration, handler: nil))
            flow.perform { _, outbox, _ in
                for destination in destinations {
                    [UInt8](repeating: 7, count: 100).withUnsafeBytes { outbox.append($0, to: destination) }
                }
            }
            #expect(mux.statistics.sendFailures == 3)
            #expect(mux.statistics.datagramsSent == 2)
            flow.perform { _, outbox, _ in
                [UInt8](repeating: 7, count: 100).withUnsafeBytes { outbox.append($0, to: other.localAddress) }
            }
            #expect(mux.statistics.datagramsSent == 3)
        }.get()
        try await mux.close().get()
        try await other.close().get()
        try await loop.shutdownGracefully()
    }
}
