import Foundation
import LoadCore
import MediaCore
import RTCSim
import RTCTransport
import Synchronization

/// The bad networks between participants of a load test and the server: one for each rule.
final class LoadNetworks: Sendable {
    /// Whose network is how.
    struct Rule: Sendable, Equatable {
        var who: ParticipantSelector
        var profile: NetworkProfile
    }

    private let networks: [(who: ParticipantSelector, network: CallNetwork)]
    /// Datagrams that relays did not read in time, as far as they have been told.
    private let told = Mutex(0)

    private init(_ networks: [(who: ParticipantSelector, network: CallNetwork)]) { self.networks = networks }

    /// Binds relays on the address of this machine that leads to the server. Throws `MediaError` and `UDPBindError`.
    static func start(_ rules: [Rule], towards url: String) async throws -> LoadNetworks {
        var networks: [(who: ParticipantSelector, network: CallNetwork)] = []
        do {
            let host = rules.isEmpty ? "" : try address(towards: url)
            for rule in rules {
                networks.append((rule.who, try await CallNetwork.start(.init(profile: rule.profile), host: host)))
            }
        } catch {
            for (_, network) in networks { await network.stop() }
            throw error
        }
        return LoadNetworks(networks)
    }

    private static func address(towards url: String) throws -> String {
        let host = URLComponents(string: url)?.host?.trimmingCharacters(in: ["[", "]"]) ?? ""
        guard let address = try LocalAddress.reaching(host).first(where: { !$0.contains(":") }) else {
            throw ExitStatus.Failure(
                status: .usage,
                message:
                    "--network: \(host) is reached by IPv6 alone, and relays are of IPv4; name a host that has IPv4")
        }
        return address
    }

    /// Makes a participant's media take its way.
    func route(_ media: inout MediaSessionConfiguration, of participant: PlannedParticipant) {
        if let index = index(for: participant) { networks[index].network.route(&media) }
    }

    /// The last rule that is meant for a participant; nil where none is.
    func index(for participant: PlannedParticipant) -> Int? { networks.lastIndex { $0.who.selects(participant) } }

    /// Datagrams that relays did not read in time, since the last call: this process is to blame for them.
    func takeDrops() async -> Int {
        guard !networks.isEmpty else { return 0 }
        var sum = 0
        for (_, network) in networks { sum += await network.report().receiveBufferDrops }
        return told.withLock { told in
            defer { told = max(told, sum) }
            return max(0, sum - told)
        }
    }

    func stop() async { for (_, network) in networks { await network.stop() } }
}
