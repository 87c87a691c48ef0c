import CallBridge
import CallServer
import Foundation
import LiveKitProtocol
import MediaCore
import OpenTokSignalling
import ProviderLiveKitLike
import ProviderOpenTokLike
import ScenarioCore

/// Servers, sockets and the machine's clock.
actor SocketStage: ScenarioStage {
    /// A server that is there already.
    struct Address: Sendable {
        var url: String
        var key: String
        var secret: String
    }

    nonisolated let mode = ScenarioMode.sockets
    nonisolated let clock = MediaClock.system
    private let plan: ScenarioPlan
    private let session: OpenTokSessionID
    private let networks: RelayedNetworks
    private var servers: [ScenarioProvider: EmbeddedServer] = [:]
    private var addresses: [ScenarioProvider: Address]

    /// Nobody listens on it.
    private static let closedPort = "ws://127.0.0.1:9"

    /// - Parameter address: nil starts servers in this process: one for both dialects, or one for each provider where one
    ///   of them is to stop. Throws what keeps them from starting.
    static func start(
        _ plan: ScenarioPlan, seed: UInt64, at address: Address?, folder: String = "."
    ) async throws -> SocketStage {
        let networks = try RelayedNetworks(plan, seed: seed, folder: folder)
        var servers: [ScenarioProvider: EmbeddedServer] = [:]
        let used = plan.usedProviders
        if address == nil {
            let shared = plan.stopsProviders ? nil : try await EmbeddedServer.start()
            for provider in used where !plan.providers.down.contains(provider) {
                if let shared {
                    servers[provider] = shared
                } else {
                    servers[provider] = try await EmbeddedServer.start()
                }
            }
        }
        let addresses = used.map { provider -> (ScenarioProvider, Address) in
            if let address { return (provider, address) }
            guard let server = servers[provider] else {
                return (
                    provider, Address(url: closedPort, key: "callagent", secret: "a-secret-of-32-characters-or-more")
                )
            }
            return (provider, Address(url: server.url, key: server.key, secret: server.secret))
        }
        return SocketStage(plan, servers, Dictionary(addresses) { first, _ in first }, networks)
    }

    private init(
        _ plan: ScenarioPlan, _ servers: [ScenarioProvider: EmbeddedServer],
        _ addresses: [ScenarioProvider: Address], _ networks: RelayedNetworks
    ) {
        self.plan = plan
        self.servers = servers
        self.addresses = addresses
        self.networks = networks
        let key = addresses[.opentok]?.key ?? "callagent"
        session = OpenTokSessionID(
            project: key, mediaMode: .routed, createdAt: Int64(Date().timeIntervalSince1970 * 1000))
    }

    // MARK: The way in

    func configuration(for person: PlannedPerson) async throws -> CallBridge.Configuration {
        var configuration = try plan.configuration(of: person, providers: [.liveKitLike, .openTokLike]) {
            try describe(person, $0)
        }
        try await networks.route(&configuration.media, of: person)
        return configuration
    }

    /// Both dialects meet in a room that has a session's name.
    private var room: String { plan.usedProviders.contains(.opentok) ? session.text : plan.room }

    private func describe(_ person: PlannedPerson, _ provider: ScenarioProvider) throws -> CallDescriptor {
        guard let address = addresses[provider] else {
            throw CallError(.configuration, .providerNotInstalled, "no server speaks \(provider.rawValue) here")
        }
        let endpoint: String
        let token: String?
        switch provider {
        case .livekit:
            endpoint = address.url
            token = AccessToken.join(
                room: room, identity: person.identity, key: address.key, secret: address.secret,
                now: Int64(Date().timeIntervalSince1970))
        case .opentok:
            endpoint = address.url.hasPrefix("ws") ? "http" + address.url.dropFirst(2) : address.url
            token = OpenTokAccess.token(
                key: address.key, secret: address.secret, session: session.text, identity: person.identity)
        }
        return CallDescriptor(
            callId: plan.room, conversationId: plan.room, provider: provider.kind, serviceProviderCallId: room,
            endpoint: endpoint, credentials: .init(token: token))
    }

    // MARK: What happens

    func setNetwork(_ name: String, of identity: String) async throws {
        try await networks.set(name, of: identity)
    }

    func changeAddress(_ identity: String) async throws { try await networks.changeAddress(of: identity) }

    func setCut(_ isCut: Bool, _ identity: String) async throws { try await networks.setCut(isCut, identity) }

    func remove(_ identity: String) async throws {
        try await moderate("RemoveParticipant", ["room": room, "identity": identity])
    }

    func endRoom() async throws { try await moderate("DeleteRoom", ["room": room]) }

    private func moderate(_ method: String, _ body: [String: String]) async throws {
        guard let address = addresses[.livekit] ?? addresses.values.first else { return }
        try await RoomModeration(url: address.url, key: address.key, secret: address.secret).send(method, body, room)
    }

    func stop(_ provider: ScenarioProvider) async {
        await servers.removeValue(forKey: provider)?.stop()
    }

    func pass(until time: MediaTime) async { try? await clock.wait(until: time) }

    func close() async {
        await networks.close()
        // One server may stand for several providers, and stops once.
        for server in servers.values { await server.stop() }
        servers = [:]
    }
}

extension ScenarioPlan {
    /// Those that somebody may be carried by.
    var usedProviders: [ScenarioProvider] {
        ScenarioProvider.allCases.filter { provider in
            people.contains { providers(of: $0).contains(provider) }
        }
    }

    /// Whether one of several is lost while others go on.
    var stopsProviders: Bool {
        !providers.down.isEmpty
            || steps.contains { if case .stopProvider = $0.action { true } else { false } }
    }
}

extension EmbeddedServer {
    /// With what `callagent call` starts it where nothing else is asked for.
    fileprivate static func start() async throws -> EmbeddedServer {
        try await start(srtp: SRTPOption.parse([]), plane: MediaPlaneOption.parse([]))
    }
}
