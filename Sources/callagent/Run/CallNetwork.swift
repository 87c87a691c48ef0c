import MediaCore
import RTCSim
import RTCTransport

/// The relays between the participants of a call and its server: a bad network, an attacker on the path, or both.
final class CallNetwork: Sendable {
    struct Settings: Sendable {
        /// What the network does; nil changes nothing.
        var profile: NetworkProfile?
        /// Of those who have another one, by name.
        var own: [String: NetworkProfile] = [:]
        /// Hostile datagrams a second on participants' addresses, and as many again in a flood; 0 is no attack.
        var hostileRate = 0

        /// Whether relays are wanted at all.
        var isNeeded: Bool { isImpaired || hostileRate > 0 }

        /// Whether anybody has a bad network.
        var isImpaired: Bool { profile != nil || !own.isEmpty }
    }

    let settings: Settings
    private let host: String
    private let loop: DatagramLoop
    private let pool: UDPRelayPool
    private let own: [String: UDPRelayPool]
    private let injector: HostileInjector?

    /// Binds the relays' ports on an address of this machine. Throws `UDPBindError`.
    static func start(_ settings: Settings, host: String = "127.0.0.1") async throws -> CallNetwork {
        let loop = try DatagramLoop(name: "relays")
        do {
            let profile = settings.profile ?? NetworkProfile()
            let pool = try await UDPRelayPool.start(
                on: loop, host: host, configuration: RelayConfiguration(profile)
            ).get()
            var own: [String: UDPRelayPool] = [:]
            for (name, profile) in settings.own {
                own[name] = try await UDPRelayPool.start(
                    on: loop, host: host, configuration: RelayConfiguration(profile)
                ).get()
            }
            var injector: HostileInjector?
            if settings.hostileRate > 0 {
                injector = try await HostileInjector.watch(pool, rate: settings.hostileRate, seed: profile.seed).get()
            }
            return CallNetwork(settings, host, loop, pool, own, injector)
        } catch {
            try? await loop.shutdownGracefully()
            throw error
        }
    }

    private init(
        _ settings: Settings, _ host: String, _ loop: DatagramLoop, _ pool: UDPRelayPool, _ own: [String: UDPRelayPool],
        _ injector: HostileInjector?
    ) {
        self.settings = settings
        self.host = host
        self.loop = loop
        self.pool = pool
        self.own = own
        self.injector = injector
    }

    /// Makes a participant's media take the way through the relays.
    func route(_ media: inout MediaSessionConfiguration, of name: String = "") {
        media.bindAddress = host
        media.remoteAddressMap = { [pool = own[name] ?? pool] in pool.address(leadingTo: $0) }
    }

    /// Begins the attack, if there is one.
    func attack() async throws { try await injector?.start().get() }

    /// Ends the attack.
    func rest() async { try? await injector?.stop().get() }

    /// How long the last datagrams may still be on their way after the sender has stopped, retransmissions included.
    var settlingMilliseconds: Int {
        let profiles = settings.own.values + (settings.profile.map { [$0] } ?? [])
        guard let oneWay = profiles.map(\.longestDelay).max() else { return 0 }
        // To the server and on to the listener, and twice there and back again to fetch what was lost.
        return Int(min(20_000, 10 * oneWay)) + 200
    }

    /// What the relays did.
    func report() async -> NetworkReport {
        var report = NetworkReport()
        report.conditions = settings.profile.map(NetworkConditionsReport.init)
        if !settings.own.isEmpty { report.own = settings.own.mapValues(NetworkConditionsReport.init) }
        var counted = UDPRelayPool.Statistics()
        for pool in [pool] + own.values { if let part = try? await pool.statistics().get() { counted += part } }
        report.toServer = .init(counted.up)
        report.toParticipants = .init(counted.down)
        report.receiveBufferDrops = counted.receiveBufferDrops
        if let injector, let counted = try? await injector.statistics().get() {
            report.hostile = .init(injector, counted)
        }
        return report
    }

    /// Closes the relays' sockets.
    func stop() async {
        await rest()
        for pool in [pool] + own.values { try? await pool.close().get() }
        try? await loop.shutdownGracefully()
    }
}
