import CallBridge
import Foundation
import MediaCore
import ProviderFake
import RTCSim
import RTCTransport
import RTCWire
import ScenarioCore
import Synchronization

/// A simulated server and network in virtual time: what goes over them is real, and an hour takes as long as its packets
/// need.
final class VirtualStage: ScenarioStage {
    let mode = ScenarioMode.virtual
    private let plan: ScenarioPlan
    private let world: FakeWorld
    private let networks: [String: NetworkProfile]
    private let stopped: Stopped

    /// Throws `MediaError`, and what is wrong with a network.
    init(_ plan: ScenarioPlan, seed: UInt64, folder: String = ".") throws {
        self.plan = plan
        networks = try ScenarioNetworks.read(plan, folder: folder)
        world = try FakeWorld(seed: seed)
        stopped = Stopped(plan.providers.down)
    }

    var clock: MediaClock { world.clock }

    func configuration(for person: PlannedPerson) async throws -> CallBridge.Configuration {
        var configuration = try plan.configuration(of: person, providers: registrations) { describe(person, $0) }
        configuration.clock = world.clock
        return configuration
    }

    private var registrations: [ProviderRegistration] {
        ScenarioProvider.allCases.map { provider in
            ProviderRegistration(
                SimulatedProvider(kind: provider.kind, server: FakeProvider(world)) { [stopped] in
                    stopped.contains(provider)
                })
        }
    }

    /// Providers do not meet: each has a room of its own.
    private func room(_ provider: ScenarioProvider) -> String { "\(plan.room)/\(provider.rawValue)" }

    private func describe(_ person: PlannedPerson, _ provider: ScenarioProvider) -> CallDescriptor {
        let name = person.identity.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        return CallDescriptor(
            callId: plan.room, conversationId: plan.room, provider: provider.kind,
            serviceProviderCallId: room(provider), endpoint: "fake:world?identity=\(name)",
            credentials: .init(token: nil))
    }

    func setNetwork(_ name: String, of identity: String) async {
        guard let network = networks[name] else { return await world.setNetwork(nil, of: identity) }
        await world.setNetwork(up: network.up.conditions, down: network.down.conditions, of: identity)
    }

    func changeAddress(_ identity: String) async { await world.changeAddress(identity) }

    func setCut(_ isCut: Bool, _ identity: String) async { await world.setCut(isCut, identity) }

    func remove(_ identity: String) async { await world.removeParticipant(identity) }

    func endRoom() async { for provider in ScenarioProvider.allCases { await world.endRoom(room(provider)) } }

    func stop(_ provider: ScenarioProvider) async {
        stopped.insert(provider)
        await world.lose(room: room(provider))
    }

    func pass(until time: MediaTime) async {
        let milliseconds = (time.nanoseconds - clock.now.nanoseconds + 999_999) / 1_000_000
        await world.pass(milliseconds: Int(max(0, milliseconds)))
    }

    func close() async { await world.close() }
}

/// Providers that don't answer.
private final class Stopped: Sendable {
    private let names: Mutex<Set<ScenarioProvider>>

    init(_ names: Set<ScenarioProvider>) { self.names = Mutex(names) }

    func contains(_ provider: ScenarioProvider) -> Bool { names.withLock { $0.contains(provider) } }

    func insert(_ provider: ScenarioProvider) { names.withLock { _ = $0.insert(provider) } }
}

/// The simulated server under a provider's name.
private struct SimulatedProvider: CallProvider {
    let kind: ProviderKind
    let server: FakeProvider
    let isStopped: @Sendable () -> Bool

    var capabilities: ProviderCapabilities { server.capabilities }

    func connect(_ descriptor: CallDescriptor, context: ProviderContext) async throws -> any ProviderSession {
        guard !isStopped() else {
            throw CallError(.network, .unreachable, "the simulated server of \(kind) does not answer; it was stopped")
        }
        return try await server.connect(descriptor, context: context)
    }
}
