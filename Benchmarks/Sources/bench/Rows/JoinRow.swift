import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// P5: from the decision to join to SRTP keys, on loopback: over the call server's signalling, and without any.
enum JoinRow {
    private static let joins = 50

    @Sendable static func run(_ settings: BenchSettings) async throws -> [Row] {
        let call = try await CallJoin.run(joins: joins)
        return rows(
            "join the call server, token in hand, to SRTP keys", call.milliseconds, call.agent, call.server,
            limit: 1.5)
            + (try peers())
    }

    private static func peers() throws -> [Row] {
        let (agent, server) = (try LoopThread(), try LoopThread())
        let mux = try UDPMux.bind(on: server.loop, host: "127.0.0.1", port: 0).wait()
        let answerer = Answerer(mux, .bench(.controlled, try DTLSCertificate.generate(), .aeadAES128GCM))
        // An engine makes one for all of its sessions.
        let certificate = try DTLSCertificate.generate()
        var milliseconds: [Double] = []
        let start = (agent.clock.nanoseconds, server.clock.nanoseconds)
        for _ in 0..<joins { milliseconds.append(try join(agent, server, answerer, certificate)) }
        let spent = (agent.clock.nanoseconds - start.0, server.clock.nanoseconds - start.1)
        try server.loop.flatSubmit { mux.close() }.wait()
        try agent.shutDown()
        try server.shutDown()
        return rows(
            "ICE and DTLS alone", milliseconds, Double(spent.0) / 1e6 / Double(joins),
            Double(spent.1) / 1e6 / Double(joins), limit: 1)
    }

    /// Milliseconds that one join took.
    private static func join(
        _ agent: LoopThread, _ server: LoopThread, _ answerer: Answerer, _ certificate: DTLSCertificate
    ) throws -> Double {
        let start = Instant.now
        var exclusive = UDPMuxConfiguration()
        exclusive.isExclusive = true
        let mux = try UDPMux.bind(on: agent.loop, host: "127.0.0.1", port: 0, configuration: exclusive).wait()
        let waiter = ConnectionWaiter(agent.loop)
        let offer = try agent.perform {
            let configuration = PeerConfiguration.bench(.controlling, certificate, .aeadAES128GCM)
            return try waiter.makeFlow(mux, configuration)
        }
        let (answer, ready) = try server.perform { try answerer.answer(offer) }
        try agent.perform { waiter.introduce(answer, as: .client) }
        try waiter.connected.wait()
        try ready.wait()
        let elapsed = (Instant.now - start).milliseconds
        try agent.loop.flatSubmit { mux.close() }.wait()
        return elapsed
    }

    /// - Parameter limit: milliseconds of CPU on either side.
    private static func rows(
        _ what: String, _ milliseconds: [Double], _ agent: Double, _ server: Double, limit: Double
    ) -> [Row] {
        let (median, tail) = (milliseconds.median, milliseconds.percentile(99))
        return [
            Row(
                id: "P5", what: "\(what): median; p99 of \(joins)",
                ours: "\(median.fixed(1)); \(tail.fixed(1)) ms", goal: "at most 5; 15 ms",
                isMet: median <= 5 && tail <= 15),
            Row(
                id: "P5", what: "CPU of that: agent; server", ours: "\(agent.fixed(2)); \(server.fixed(2)) ms",
                goal: "at most \(limit.fixed(1)) ms each", isMet: agent <= limit && server <= limit),
        ]
    }
}

/// A flow whose owner waits for its keys.
// Every member but the future is touched on the event loop only.
private final class ConnectionWaiter: PeerFlowHandler, @unchecked Sendable {
    let connected: EventLoopFuture<Void>
    private let promise: EventLoopPromise<Void>
    private var flow: PeerFlow?

    init(_ loop: any EventLoop) {
        promise = loop.makePromise()
        connected = promise.futureResult
    }

    func makeFlow(_ mux: UDPMux, _ configuration: PeerConfiguration) throws -> RemoteTransport {
        guard let flow = mux.makeFlow(configuration: configuration, handler: self) else {
            throw BenchError("the port takes no more peers")
        }
        self.flow = flow
        flow.perform { peer, _, _ in peer.addLocalCandidate(mux.localAddress) }
        return RemoteTransport(peer: flow.peer)
    }

    func introduce(_ remote: RemoteTransport, as role: DTLSRole) {
        flow?.perform { peer, outbox, now in remote.introduce(to: &peer, as: role, now: now, into: outbox) }
    }

    func received(_ packet: ReceivedRTP, in buffer: UnsafeRawBufferPointer, on flow: PeerFlow) {}

    func handle(_ event: PeerEvent, on flow: PeerFlow) {
        switch event {
        case .connected: promise.succeed()
        case .failed(let failure): promise.fail(failure)
        default: break
        }
    }
}

/// The server's side.
private final class Answerer: Sendable {
    private let mux: UDPMux
    private let configuration: PeerConfiguration

    init(_ mux: UDPMux, _ configuration: PeerConfiguration) {
        self.mux = mux
        self.configuration = configuration
    }

    func answer(_ offer: RemoteTransport) throws -> (RemoteTransport, EventLoopFuture<Void>) {
        let waiter = ConnectionWaiter(mux.eventLoop)
        let answer = try waiter.makeFlow(mux, configuration)
        waiter.introduce(offer, as: .server)
        return (answer, waiter.connected)
    }
}
