import RTCSim
import RTCTransport
import RTCWire

/// The clients of a `netem`, each with relays and a link of its own.
actor NetemClients {
    /// One client: everything that it sends and receives shares one link in each direction.
    final class Client: Sendable {
        let name: String
        let pool: UDPRelayPool

        init(name: String, pool: UDPRelayPool) {
            self.name = name
            self.pool = pool
        }

        var candidates: CandidateRewriter { CandidateRewriter { [pool] in pool.address(leadingTo: $0) } }
    }

    private struct Entry {
        var client: Client
        /// Open signalling connections.
        var connections = 0
        /// Datagrams seen at the last look, and since when there were no more, in seconds.
        var seen = 0
        var silentSince = 0.0
    }

    private let configuration: RelayConfiguration
    private let isEachItsOwn: Bool
    private let loop: DatagramLoop
    private var entries: [String: Entry] = [:]
    private var relays: [(name: String, relay: UDPRelay)] = []
    private var count = 0
    /// Of clients that are gone.
    private var past = UDPRelayPool.Statistics()

    /// Relays of a client: one for each address of the server, of both connections in the older mode.
    private static let relaysOfClient = 12
    private static let mostClients = 500
    private static let mostPeers = 1024
    private static let patience = 60.0

    /// - Parameter isEachItsOwn: whether each client meets weather of its own, rather than all the same.
    init(_ profile: NetworkProfile, isEachItsOwn: Bool, on loop: DatagramLoop) {
        configuration = RelayConfiguration(profile)
        self.isEachItsOwn = isEachItsOwn
        self.loop = loop
    }

    /// Binds a port whose datagrams go to one address. Throws `UDPBindError`.
    func bind(_ way: NetemWay) async throws -> TransportAddress {
        var configuration = configuration
        configuration.weather = isEachItsOwn ? .own : .same
        configuration.maximumPeers = Self.mostPeers
        let relay = try await UDPRelay.bind(
            on: loop, host: way.host, port: way.port, number: relays.count, configuration: configuration
        ).get()
        relay.target = way.target
        relays.append((NetemRun.text(way.target), relay))
        return relay.address
    }

    /// The client of a name, with one more connection of its own. Throws `UDPBindError`, and `NetemRefusal` where there are
    /// too many.
    ///
    /// - Parameter host: the address at which this machine is reached by it.
    func join(_ name: String, host: String) async throws -> Client {
        if entries[name] == nil {
            guard entries.count < Self.mostClients else { throw NetemRefusal.tooManyClients(Self.mostClients) }
            var configuration = configuration
            configuration.weather = .shared
            if isEachItsOwn { configuration.seed = SeededGenerator.hash(configuration.seed, 0x6e65, UInt64(count)) }
            count += 1
            let pool = try await UDPRelayPool.start(
                on: loop, host: host, count: Self.relaysOfClient, configuration: configuration
            ).get()
            // Another connection of the same client may have been quicker.
            if entries[name] == nil {
                entries[name] = Entry(client: Client(name: name, pool: pool))
            } else {
                try await pool.close().get()
            }
        }
        entries[name]?.connections += 1
        guard let client = entries[name]?.client else { throw NetemRefusal.tooManyClients(Self.mostClients) }
        return client
    }

    /// The same client by another name, such as a session's path.
    func client(_ name: String) -> Client? { entries[name]?.client }

    func leave(_ name: String) { entries[name]?.connections -= 1 }

    // MARK: Statistics

    /// What happened so far, `now` seconds after the beginning. Who is silent for a minute and has no connection is forgotten.
    func statistics(at now: Double) async -> NetemCount {
        var result = NetemCount(total: past)
        for (name, relay) in relays {
            guard let counted = try? await loop.submit({ UDPRelayPool.Statistics([relay]) }).get() else { continue }
            result.add(name, counted)
        }
        for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
            guard let counted = try? await entry.client.pool.statistics().get() else { continue }
            result.add(name, counted)
            await note(counted, of: name, at: now)
        }
        return result
    }

    private func note(_ counted: UDPRelayPool.Statistics, of name: String, at now: Double) async {
        guard var entry = entries[name] else { return }
        let seen = counted.up.received + counted.down.received
        if seen != entry.seen || entry.connections > 0 { entry.silentSince = now }
        entry.seen = seen
        guard now - entry.silentSince > Self.patience else {
            entries[name]?.seen = entry.seen
            entries[name]?.silentSince = entry.silentSince
            return
        }
        entries[name] = nil
        past += counted
        try? await entry.client.pool.close().get()
    }

    func close() async {
        for entry in entries.values { try? await entry.client.pool.close().get() }
        for (_, relay) in relays { try? await relay.close().get() }
        entries = [:]
        relays = []
    }
}

/// What all clients met.
struct NetemCount: Sendable {
    var total: UDPRelayPool.Statistics
    var clients: [(name: String, counted: UDPRelayPool.Statistics)] = []

    init(total: UDPRelayPool.Statistics) { self.total = total }

    mutating func add(_ name: String, _ counted: UDPRelayPool.Statistics) {
        clients.append((name, counted))
        total += counted
    }

    /// Datagrams that the relays lost themselves, and no simulated network.
    var overloaded: Int { total.receiveBufferDrops + total.up.overflowed + total.down.overflowed }
}

/// Why a client is not served.
enum NetemRefusal: Error, CustomStringConvertible {
    case tooManyClients(Int)

    var description: String {
        switch self {
        case .tooManyClients(let most): "netem has \(most) clients already; end some, or start another"
        }
    }
}

/// A UDP port, and the address that its datagrams go to.
struct NetemWay: Sendable, Equatable {
    var host: String
    var port: Int
    var target: TransportAddress
}
