import NIOCore
import RTCCore
import RTCTransport

/// Receiving participants on one event loop, each with a socket of its own, and the peers that send to them.
final class AgentFleet {
    private let thread: LoopThread
    private let agents: Agents
    private let servers: [PlainPeer]
    private var pattern = SendPattern()

    init(_ profile: SRTPProfile, agents count: Int) throws {
        thread = try LoopThread(moderation: .milliseconds(1))
        let configuration = PeerConfiguration.bench(.controlled, try DTLSCertificate.generate(), profile)
        let agents = Agents(.bench(.controlling, try DTLSCertificate.generate(), profile))
        self.agents = agents
        servers = try (0..<count).map { _ in try PlainPeer(configuration) }
        var exclusive = UDPMuxConfiguration()
        exclusive.isExclusive = true
        for server in servers {
            let mux = try UDPMux.bind(on: thread.loop, host: "127.0.0.1", port: 0, configuration: exclusive).wait()
            let theirs = server.transport
            server.connect(to: try thread.perform { try agents.add(mux, remote: theirs) }, as: .server)
            server.perform { peer, _, _ in
                for kind in [StreamKind.audio, .video] { peer.addSendStream(Streams.sending(kind)) }
            }
        }
        try awaitConnection(of: servers)
    }

    /// Lets every server peer send for `seconds`.
    ///
    /// - Returns: microseconds of the loop's CPU for each media packet received and opened.
    func window(seconds: Double) throws -> Double {
        poll()
        let packets = try arrived()
        let start = thread.clock.nanoseconds
        let sent = pattern.run(
            seconds: seconds, send: { packet in for server in servers { server.send(packet) } }, idle: poll)
        let expected = sent * servers.count
        try SendPattern.settle(poll) { try arrived() - packets >= expected }
        let spent = thread.clock.nanoseconds - start
        let count = try arrived() - packets
        guard count * 100 > expected * 98 else { throw BenchError("only \(count) of \(expected) packets arrived") }
        return Double(spent) / Double(count) / 1000
    }

    private func arrived() throws -> Int {
        let agents = agents
        return try thread.perform { agents.packets }
    }

    func close() throws {
        let agents = agents
        try thread.loop.flatSubmit { [thread] in agents.close(on: thread.loop) }.wait()
        try thread.shutDown()
        pattern.free()
    }

    private func poll() { for server in servers { server.poll() } }
}

/// The agents' side.
// Every member is touched on the event loop only.
private final class Agents: PeerFlowHandler, @unchecked Sendable {
    private(set) var packets = 0
    private let configuration: PeerConfiguration
    private var flows: [PeerFlow] = []

    init(_ configuration: PeerConfiguration) { self.configuration = configuration }

    func add(_ mux: UDPMux, remote: RemoteTransport) throws -> RemoteTransport {
        guard let flow = mux.makeFlow(configuration: configuration, handler: self) else {
            throw BenchError("the agent's socket is taken")
        }
        flow.perform { peer, outbox, now in
            peer.addLocalCandidate(mux.localAddress)
            peer.setReceiveMap(Streams.receiving)
            remote.introduce(to: &peer, as: .client, now: now, into: outbox)
        }
        flows.append(flow)
        return RemoteTransport(peer: flow.peer)
    }

    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) { packets += 1 }

    func handle(_ event: PeerEvent, on flow: PeerFlow) {}

    func close(on loop: any EventLoop) -> EventLoopFuture<Void> {
        EventLoopFuture.andAllComplete(flows.map { $0.mux.close() }, on: loop)
    }
}
