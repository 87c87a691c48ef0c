import CallBridge
import MediaCore
import ScenarioCore

/// Where a scenario takes place: its server, its networks, and its time.
protocol ScenarioStage: Sendable {
    var mode: ScenarioMode { get }
    /// Where times are read from.
    var clock: MediaClock { get }
    /// How somebody finds and enters the room.
    func configuration(for person: PlannedPerson) async throws -> CallBridge.Configuration
    /// Changes somebody's network, now or when they come; a name of none is no network.
    func setNetwork(_ name: String, of identity: String) async throws
    /// Gives somebody another address, as a NAT does.
    func changeAddress(_ identity: String) async throws
    /// Cuts somebody's network off, or lets it come back.
    func setCut(_ isCut: Bool, _ identity: String) async throws
    /// As a moderator does.
    func remove(_ identity: String) async throws
    func endRoom() async throws
    func stop(_ provider: ScenarioProvider) async throws
    /// Lets time go by.
    func pass(until time: MediaTime) async
    /// The scenario is over; everybody has left.
    func close() async
}

extension ScenarioProvider {
    /// As descriptors name it.
    var kind: ProviderKind {
        switch self {
        case .livekit: .liveKit
        case .opentok: .openTok
        }
    }

    init?(_ kind: ProviderKind) {
        guard let provider = Self.allCases.first(where: { $0.kind == kind }) else { return nil }
        self = provider
    }
}

extension ScenarioPlan {
    /// Whom somebody may be carried by, in order.
    func providers(of person: PlannedPerson) -> [ScenarioProvider] { person.provider.map { [$0] } ?? providers.order }

    /// A bridge's way to a room that several providers may carry.
    func configuration(
        of person: PlannedPerson, providers: [ProviderRegistration],
        describe: (ScenarioProvider) throws -> CallDescriptor
    ) throws -> CallBridge.Configuration {
        let descriptors = try self.providers(of: person).map(describe)
        guard let first = descriptors.first else {
            throw CallError(.configuration, .noProviderInstalled, "\(person.identity) has no provider")
        }
        var configuration = CallBridge.Configuration(
            descriptors: FixedDescriptorSource(first, others: Array(descriptors.dropFirst())), providers: providers)
        if descriptors.count > 1 { configuration.failover = .orderedList(descriptors.map(\.provider)) }
        return configuration
    }
}
