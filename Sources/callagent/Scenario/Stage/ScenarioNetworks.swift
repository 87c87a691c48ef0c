import ArgumentParser
import RTCSim
import ScenarioCore

/// The networks of a scenario, as the network model takes them.
enum ScenarioNetworks {
    /// - Parameter folder: the scenario file's, from which trace files are found.
    /// Throws `ScenarioProblems`: every network that is wrong, with its place.
    static func read(_ plan: ScenarioPlan, folder: String) throws(ScenarioProblems) -> [String: NetworkProfile] {
        var problems: [ScenarioProblem] = []
        var networks: [String: NetworkProfile] = [:]
        for (name, network) in plan.networks {
            guard let profile = network.profile else {
                networks[name] = NetworkProfile(network.link)
                continue
            }
            do { networks[name] = try NetworkArgument.profile(profile.text, folder: folder) } catch {
                let reason = (error as? ValidationError)?.message ?? "\(error)"
                problems.append(ScenarioProblem(profile.position, "the network \(name): \(reason)"))
            }
        }
        guard problems.isEmpty else { throw ScenarioProblems(problems) }
        return networks
    }
}

extension ScenarioNetwork {
    fileprivate var link: LinkProfile {
        var link = LinkProfile()
        link.loss = loss
        link.burst = Double(burstMs)
        link.delay = Double(delayMs)
        link.jitter = Double(jitterMs)
        link.reorder = reorder
        link.duplicate = duplicate
        link.rate = Double(rateKbps)
        link.queue = Double(queueMs)
        return link
    }
}
