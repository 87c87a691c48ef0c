import RTCCore
import RTCSim
import RTCWire

/// Alice has a relayed candidate only, bob a host candidate; a TURN server between them.
final class RelayedCall {
    let simulation: Simulation
    let server: SimulatedTURNServer
    let alice: RelayedPeerNode
    let bob: PeerNode
    private(set) var heard: [[UInt8]] = []

    static let serverAddress = TransportAddress(ipv4: 0x0a00_00fe, port: 3478)

    init(
        _ conditions: NetworkConditions = .init(delay: .milliseconds(10)), seed: UInt64 = 1, password: String = "right"
    )
        throws
    {
        let simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        self.simulation = simulation
        server = SimulatedTURNServer(
            at: Self.serverAddress, username: "ada", password: "right", in: simulation)
        func peer(_ isAlice: Bool) throws -> Peer {
            var configuration = PeerConfiguration(
                iceRole: isAlice ? .controlling : .controlled, certificate: try DTLSCertificate.generate())
            configuration.seed = seed &* 2 &+ (isAlice ? 0 : 1)
            var peer = Peer(configuration: configuration, now: simulation.now)
            peer.setClock(ntpOffset: .seconds(3_950_000_000))
            return peer
        }
        var turn = TURNConfiguration(server: Self.serverAddress, username: "ada", password: password)
        turn.seed = seed
        alice = RelayedPeerNode(
            at: TransportAddress(ipv4: 0x0a00_0001, port: 4001), peer: try peer(true),
            client: TURNClient(configuration: turn))
        bob = PeerNode(address: TransportAddress(ipv4: 0x0a00_0002, port: 4002), peer: try peer(false))
        simulation.add(alice)
        simulation.add(bob)
        bob.onEvent = { [weak self] event in
            if case .applicationData(let bytes) = event { self?.heard.append(bytes) }
        }
    }

    /// Exchanges descriptions; candidates follow as they come.
    func connect() {
        let (toBob, toAlice) = (alice.peer.localCredentials, bob.peer.localCredentials)
        let (ofAlice, ofBob) = (alice.peer.localFingerprint, bob.peer.localFingerprint)
        alice.onAllocated = { [weak self] candidate in
            guard let self else { return }
            let line = candidate.sdp(ufrag: toBob.ufrag)
            simulation.schedule(at: simulation.now) { [unowned self] in
                driveBob { peer, now, outbox in peer.addRemoteCandidate(line, now: now, into: outbox) }
            }
        }
        driveBob { peer, now, outbox in
            peer.addLocalCandidate(bob.address)
            peer.setRemote(credentials: toBob, fingerprint: ofAlice, dtlsRole: .client, now: now, into: outbox)
        }
        let host = bob.peer.localCandidates.first?.sdp(ufrag: toAlice.ufrag)
        driveAlice { peer, client, now, outbox in
            peer.setRemote(credentials: toAlice, fingerprint: ofBob, dtlsRole: .server, now: now, into: outbox)
            if let host { peer.addRemoteCandidate(host, now: now, into: outbox) }
            client.start(now: now, into: outbox)
        }
    }

    func driveBob(_ body: (inout Peer, Instant, Outbox) -> Void) {
        simulation.perform(bob) { outbox in
            body(&bob.peer, simulation.now, outbox)
            bob.take(outbox, UnsafeRawBufferPointer(start: nil, count: 0))
        }
    }

    func driveAlice(_ body: (inout Peer, inout TURNClient, Instant, Outbox) -> Void) {
        simulation.perform(alice) { outbox in
            body(&alice.peer, &alice.client, simulation.now, outbox)
            alice.finish(outbox, simulation.now)
        }
    }

    @discardableResult
    func runUntilConnected(limit: Interval = .seconds(30)) -> Bool {
        simulation.run(until: simulation.now + limit) {
            alice.peer.state == .connected && bob.peer.state == .connected
        }
    }

    /// Sends a message each way every `interval` for that long, without SCTP: what is lost stays lost.
    func talk(every interval: Interval, for length: Interval) {
        let end = simulation.now + length
        simulation.schedule(every: interval, from: simulation.now) { [unowned self] in
            let text = Array("a message of alice's, or of bob's".utf8)
            driveAlice { peer, _, now, outbox in
                text.withUnsafeBytes { _ = peer.sendApplicationData($0, now: now, into: outbox) }
            }
            driveBob { peer, now, outbox in
                text.withUnsafeBytes { _ = peer.sendApplicationData($0, now: now, into: outbox) }
            }
            return simulation.now < end
        }
        simulation.run(until: end + .seconds(1))
    }
}
