import NIOCore
import RTCCore
import RTCWire
import Testing

@testable import RTCTransport

/// Keeps the packets of a flow and says when it stands.
// Touched on the flow's event loop only.
final class FlowRecord: PeerFlowHandler, @unchecked Sendable {
    var arrivals: [Instant] = []
    var payloads: [UInt8] = []
    /// Sources in the order in which they came.
    var sources: [UInt32] = []
    let connected: EventLoopPromise<Void>
    private var awaited: (count: Int, promise: EventLoopPromise<Void>)?
    private let loop: any EventLoop

    init(_ loop: any EventLoop) {
        self.loop = loop
        connected = loop.makePromise()
    }

    /// When so many packets have come; fails after a minute.
    func until(_ count: Int) -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        awaited = (count, promise)
        let limit = loop.scheduleTask(in: .seconds(60)) { promise.fail(ChannelError.eof) }
        check()
        return promise.futureResult.always { _ in limit.cancel() }
    }

    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {
        arrivals.append(packet.arrival)
        sources.append(packet.ssrc)
        payloads.append(buffer[packet.payload].first ?? 0)
        check()
    }

    func handle(_ event: PeerEvent, on flow: PeerFlow) { if case .connected = event { connected.succeed() } }

    private func check() { if let awaited, arrivals.count >= awaited.count { awaited.promise.succeed() } }
}

/// A client's mux and a server's, connected, with an audio and a video stream from the client to the server.
struct MuxPair: Sendable {
    static let audio: UInt32 = 11
    static let video: UInt32 = 22
    var server: PeerFlow
    var client: PeerFlow
    var record: FlowRecord
    var muxes: [UDPMux]

    /// Binds both on one loop and waits until they are connected.
    ///
    /// - Parameters:
    ///   - serverHost: with `addresses` what an unspecified one stands for.
    ///   - overTCP: neither side learns of a UDP port of the other.
    static func connect(
        on loop: DatagramLoop, serverHost: String = "127.0.0.1", clientHost: String = "127.0.0.1",
        addresses: [String] = [], overTCP: Bool = false,
        told: @Sendable @escaping (TransportAddress) -> Bool = { _ in true }
    ) async throws -> MuxPair {
        var settings = UDPMuxConfiguration()
        settings.addresses = addresses.compactMap { TransportAddress(host: $0, port: 0) }
        settings.streamPort = overTCP ? 0 : nil
        let server = try await UDPMux.bind(on: loop, host: serverHost, port: 0, configuration: settings).get()
        var exclusive = UDPMuxConfiguration()
        exclusive.isExclusive = true
        exclusive.opensStreams = overTCP
        let client = try await UDPMux.bind(on: loop, host: clientHost, port: 0, configuration: exclusive).get()
        let isTold: @Sendable (TransportAddress) -> Bool = { address in
            (!overTCP || address.transport == .tcp) && told(address)
        }
        return try await loop.flatSubmit { () -> EventLoopFuture<MuxPair> in
            do { return try introduce(server, client, isTold) } catch { return loop.makeFailedFuture(error) }
        }.get()
    }

    private static func introduce(
        _ server: UDPMux, _ client: UDPMux, _ told: (TransportAddress) -> Bool
    ) throws -> EventLoopFuture<MuxPair> {
        let (far, near) = (FlowRecord(server.eventLoop), FlowRecord(server.eventLoop))
        let one = try makeFlow(server, .controlled, far)
        let other = try makeFlow(client, .controlling, near)
        exchange(one, other, role: .server) { server.streamPort == nil || told($0) }
        exchange(other, one, role: .client, told)
        addStreams(one, other)
        let pair = MuxPair(server: one, client: other, record: far, muxes: [server, client])
        let limit = server.eventLoop.scheduleTask(in: .seconds(60)) { far.connected.fail(ChannelError.eof) }
        return far.connected.futureResult.and(near.connected.futureResult).map { _ in pair }
            .always { _ in limit.cancel() }
    }

    private static func addStreams(_ server: PeerFlow, _ client: PeerFlow) {
        let lines = [(StreamKind.audio, audio, UInt8(100)), (.video, video, 101)].enumerated().map { index, stream in
            ReceiveMap.Line(
                index: index, kind: stream.0, mid: nil, codecs: [.init(payloadType: stream.2, clockRate: 90_000)],
                extensionMap: RTPExtensionMap(), sources: [.init(ssrc: stream.1)])
        }
        server.perform { peer, _, _ in peer.setReceiveMap(ReceiveMap(lines: lines)) }
        client.perform { peer, _, _ in
            peer.addSendStream(
                SendStreamConfiguration(ssrc: audio, payloadType: 100, clockRate: 90_000, kind: .audio))
            peer.addSendStream(
                SendStreamConfiguration(ssrc: video, payloadType: 101, clockRate: 90_000, kind: .video))
        }
    }

    private static func makeFlow(_ mux: UDPMux, _ role: ICERole, _ record: FlowRecord) throws -> PeerFlow {
        let configuration = PeerConfiguration(iceRole: role, certificate: try DTLSCertificate.generate())
        let flow = try #require(mux.makeFlow(configuration: configuration, handler: record))
        flow.perform { peer, _, _ in mux.addHostCandidates(to: &peer) }
        return flow
    }

    private static func exchange(
        _ flow: PeerFlow, _ other: PeerFlow, role: DTLSRole, _ told: (TransportAddress) -> Bool
    ) {
        let credentials = other.peer.localCredentials
        let candidates = other.peer.localCandidates.filter { told($0.address) }.map { $0.sdp(ufrag: credentials.ufrag) }
        let fingerprint = other.peer.localFingerprint
        flow.perform { peer, outbox, now in
            peer.setRemote(credentials: credentials, fingerprint: fingerprint, dtlsRole: role, now: now, into: outbox)
            for candidate in candidates { peer.addRemoteCandidate(candidate, now: now, into: outbox) }
        }
    }

    /// Queues a packet of `size` bytes whose first one is `number`.
    static func send(
        _ number: Int, size: Int = 1, ssrc: UInt32, _ peer: inout Peer, _ outbox: Outbox, _ now: Instant
    ) {
        let payload = [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: size)
        payload.withUnsafeBytes {
            _ = peer.send(
                ssrc: ssrc, marker: false, timestamp: UInt32(number) * 960, extensions: RTPExtensions(), payload: $0,
                now: now, into: outbox)
        }
    }

    func close() async throws { for mux in muxes { try await mux.close().get() } }
}
