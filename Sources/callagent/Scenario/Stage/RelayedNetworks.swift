import CallBridge
import MediaCore
import RTCSim
import RTCTransport
import ScenarioCore

/// The networks of those who have one, or lose it: relays on this machine that each one's media goes through.
actor RelayedNetworks {
    private struct Path {
        var pool: UDPRelayPool
        var conditions: NetworkConditions
    }

    private let plan: ScenarioPlan
    private let seed: UInt64
    /// Those whose media takes the way through relays.
    private let relayed: Set<String>
    private let loop: DatagramLoop?
    private var paths: [String: Path] = [:]

    /// Throws what keeps the relays' loop from running.
    init(_ plan: ScenarioPlan, seed: UInt64) throws {
        self.plan = plan
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
            let conditions = person.network.flatMap { plan.networks[$0] }?.conditions ?? NetworkConditions()
            var configuration = RelayConfiguration()
            (configuration.up, configuration.down, configuration.seed) = (conditions, conditions, seed)
            let pool = try await UDPRelayPool.start(on: loop, configuration: configuration).get()
            path = Path(pool: pool, conditions: conditions)
            paths[person.identity] = path
        }
        media.bindAddress = "127.0.0.1"
        media.remoteAddressMap = { [pool = path.pool] in pool.address(leadingTo: $0) }
    }

    func set(_ network: ScenarioNetwork?, of identity: String) async throws {
        let conditions = network?.conditions ?? NetworkConditions()
        paths[identity]?.conditions = conditions
        try await paths[identity]?.pool.setConditions(conditions).get()
    }

    func setCut(_ isCut: Bool, _ identity: String) async throws {
        guard let path = paths[identity] else { return }
        let conditions = isCut ? NetworkConditions(delay: .zero, loss: 1) : path.conditions
        try await path.pool.setConditions(conditions).get()
    }

    func close() async {
        for path in paths.values { try? await path.pool.close().get() }
        paths = [:]
        try? await loop?.shutdownGracefully()
    }
}
