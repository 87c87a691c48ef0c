import MediaCore
import OpenTokSignalling
import RTCCore
import RTCSim
import RTCWire

@testable import ProviderFake

/// The simulated network and what stands in it: everybody's place, the server's sessions, and the ways between them.
// Touched in its world's turns alone.
final class VirtualHouse: @unchecked Sendable {
    static let secrets = ["12345": "a-secret-of-thirty-two-characters"]
    static let serverAddress = "symphony.virtual"

    /// One end of a media connection.
    private struct End: Hashable {
        var owner: String
        var peer: RaptorPeer
    }

    let simulation: Simulation
    let server: FakeServer
    let mode: MediaMode
    let seed: UInt64
    let certificate: DTLSCertificate
    private(set) var isStopped = false
    private(set) var hosts: [String: SessionHost] = [:]
    private(set) var places: [VirtualPlace] = []
    private var conditions: NetworkConditions
    private var ends: [End: Int] = [:]

    init(mode: MediaMode, seed: UInt64, now: Instant) throws {
        self.mode = mode
        self.seed = seed
        conditions = NetworkConditions(delay: .milliseconds(10), jitter: .milliseconds(2))
        simulation = Simulation(network: SimulatedNetwork(conditions, seed: seed))
        simulation.run(until: now)
        certificate = try .generate()
        server = FakeServer(simulation, seed: seed, certificate: try .generate())
        server.onFailure = { [unowned self] connection in for host in hosts.values { host.router.failed(connection) } }
    }

    /// Seconds since 1970.
    var timeOfDay: Int64 { 1_800_000_000 + Int64(simulation.now.nanoseconds / 1_000_000_000) }
    var queues: [FakeEventQueue] { places.map(\.queue) }

    // MARK: The server

    func enter(_ place: VirtualPlace) { if !places.contains(where: { $0 === place }) { places.append(place) } }

    func host(_ session: OpenTokSessionID) -> SessionHost {
        if let host = hosts[session.text] { return host }
        let host = SessionHost(session, house: self)
        hosts[session.text] = host
        return host
    }

    func stop() {
        isStopped = true
        for host in hosts.values { host.shutDown() }
    }

    func disconnect(_ identity: String) {
        for place in places where place.identity == identity { host(place.session).disconnect(place.connection) }
    }

    // MARK: The message transport

    /// How long a segment takes, where TCP repeats what is lost.
    func segmentDelay(_ random: inout SeededGenerator) -> Interval {
        var delay = conditions.delay + .milliseconds(Int.random(in: 0...10, using: &random))
        while Double.random(in: 0..<1, using: &random) < conditions.loss { delay = delay + .milliseconds(200) }
        return delay
    }

    // MARK: Media's ways

    /// The number that makes an end's address, and the address.
    func address(of peer: RaptorPeer, at owner: String) -> (number: Int, TransportAddress) {
        let end = End(owner: owner, peer: peer)
        let isNew = ends[end] == nil
        let number = ends[end] ?? ends.count + 1
        ends[end] = number
        if isNew { setWays(of: end) }
        return (number, Self.address(number))
    }

    /// As `FakeClient` makes it.
    private static func address(_ number: Int) -> TransportAddress {
        TransportAddress(ipv4: 0x0a00_0000 &+ UInt32(truncatingIfNeeded: number), port: 4000)
    }

    func setConditions(_ conditions: NetworkConditions) {
        self.conditions = conditions
        for end in ends.keys { setWays(of: end) }
    }

    func setCut(_ isCut: Bool, _ identity: String) {
        for place in places where place.identity == identity {
            place.setCut(isCut)
            for end in ends.keys where end.owner == place.connection { setWays(of: end) }
        }
    }

    /// Somebody's sockets are gone, and none opens for a while; media goes on.
    func loseSockets(of identity: String, milliseconds: Int, isNoticed: Bool) {
        let lost = places.filter { $0.identity == identity }
        for place in lost { place.setDown(true, isNoticed: isNoticed) }
        simulation.schedule(at: simulation.now + .milliseconds(milliseconds)) {
            for place in lost { place.setDown(false, isNoticed: isNoticed) }
        }
    }

    /// To the server, or to the other end of the same connection.
    private func setWays(of end: End) {
        guard let number = ends[end] else { return }
        let own = Self.address(number)
        if mode == .routed { return set(isCut(end.owner), own, server.address) }
        for (other, number) in ends where other.peer == end.peer && other != end {
            set(isCut(end.owner) || isCut(other.owner), own, Self.address(number))
        }
    }

    private func isCut(_ connection: String) -> Bool { places.contains { $0.connection == connection && $0.isCut } }

    private func set(_ isCut: Bool, _ a: TransportAddress, _ b: TransportAddress) {
        var present = conditions
        if isCut { present.loss = 1 }
        simulation.network.set(present, from: a, to: b)
        simulation.network.set(present, from: b, to: a)
    }
}
