import ArgumentParser
import LoadCore
import RTCSim

/// Which network is between whom and the server.
struct LoadNetworkOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A simulated bad network between everybody and the server.", discussion: NetworkArgument.discussion,
            valueName: "network"),
        transform: NetworkArgument.profile)
    var network: NetworkProfile?

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another one for some: 'subscriber 3:loss=5', '10% of subscribers:3g'.",
            discussion: """
                May be given more than once; the last one that names a participant counts. Names are publishers, subscribers, \
                publisher N and subscriber N of each room from 0, N% of publishers, of subscribers or of everybody.
                """,
            valueName: "who:network"),
        transform: LoadNetworkOptions.rule)
    var networkFor: [LoadNetworks.Rule] = []

    /// The general one first.
    var rules: [LoadNetworks.Rule] {
        let everybody = ParticipantSelector("everybody")
        return
            (network.flatMap { profile in everybody.map { LoadNetworks.Rule(who: $0, profile: profile) } }.map { [$0] }
            ?? [])
            + networkFor
    }

    static func rule(_ text: String) throws -> LoadNetworks.Rule {
        let halves = text.split(separator: ":", maxSplits: 1)
        guard halves.count == 2 else {
            throw ValidationError("\"\(text)\" names nobody; write for example 'subscriber 3:loss=5,delay=20'.")
        }
        guard let who = ParticipantSelector(halves[0]) else {
            throw ValidationError("\"\(halves[0])\" names nobody; use for example \(ParticipantSelector.forms).")
        }
        return LoadNetworks.Rule(who: who, profile: try NetworkArgument.profile(String(halves[1])))
    }
}
