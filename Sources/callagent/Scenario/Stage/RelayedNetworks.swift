import CallBridge
import MediaCore
import RTCSim
import RTCTransport
import ScenarioCore

/// The networks of those who have one, or lose it: relays on this machine that each one's media goes through.
actor RelayedNetworks {
    private struct Path {
        var pool: UDPRelayPool
        /// What it is while it is not cut.
        var network: NetworkProfile
    }

    private let networks: [String: NetworkProfile]
    private let seed: UInt64
    /// Those whose media takes the way through relays.
    private let relayed: Set<String>
    private let loop: DatagramLoop?
    private var paths: [String: Path] = [:]

    /// Throws what keeps the relays' loop from running, and what is wrong with a network.
    init(_ plan: ScenarioPlan, seed: UInt64, folder: String) throws {
        networks = try ScenarioNetworks.read(plan, folder: folder)
        self.seed = seed
        let roamers = plan.steps.compactMap { step -> String? in
            switch step.action {
            case .roam, .drop: step.who
            default: nil
            }
        }
        relayed = Set(roamers).union(plan.people.filter { $0.network != nil }.map(\.identity))
        loop = relayed.isEmpty ? nil : try DatagramLoop(name: "relays")
    }

    /// Makes somebody's media take the way through relays of their own.
    func route(_ media: inout MediaSessionConfiguration, of person: PlannedPerson) async throws {
        guard relayed.contains(person.identity), let loop else { return }
        let path: Path
        if let known = paths[person.identity] {
            path = known
        } else {
            var network = person.network.flatMap { networks[$0] } ?? NetworkProfile()
            network.seed = seed
            let pool = try await UDPRelayPool.start(on: loop, configuration: RelayConfiguration(network)).get()
            path = Path(pool: pool, network: network)
            paths[person.identity] = path
        }
        media.bindAddress = "127.0.0.1"
        media.remoteAddressMap = { [pool = path.pool] in pool.address(leadingTo: $0) }
    }

    func set(_ name: String, of identity: String) async throws {
        let network = networks[name] ?? NetworkProfile()
        paths[identity]?.network = network
        try await paths[identity]?.pool.setConditions(RelayConfiguration(network)).get()
    }

    func setCut(_ isCut: Bool, _ identity: String) async throws {
        guard let path = paths[identity] else { return }
        var configuration = RelayConfiguration(path.network)
        if isCut {
            configuration.up = NetworkConditions(delay: .zero, loss: 1)
            configuration.down = configuration.up
        }
        try await path.pool.setConditions(configuration).get()
    }

    /// As a NAT does whose mapping has expired.
    func changeAddress(of identity: String) async throws {
        try await paths[identity]?.pool.changeAddresses().get()
    }

    func close() async {
        for path in paths.values { try? await path.pool.close().get() }
        paths = [:]
        try? await loop?.shutdownGracefully()
    }
}
