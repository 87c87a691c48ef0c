import ArgumentParser
import LoadCore
import RTCTransport

/// Which network is between whom and the server.
struct LoadNetworkOptions: ParsableArguments {
    @Option(
        name: .long, parsing: .unconditional,
        help: ArgumentHelp(
            "A simulated bad network between everybody and the server: pairs as `callagent call` has them.",
            valueName: "pairs"),
        transform: LoadNetworkOptions.profile)
    var network: NetworkProfile?

    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Another one for some: 'subscriber 3:loss=5', '10% of subscribers:rate=300,delay=40'.",
            discussion: """
                May be given more than once; the last one that names a participant counts. Names are publishers, subscribers, \
                publisher N and subscriber N of each room from 0, N% of publishers, of subscribers or of everybody.
                """,
            valueName: "who:pairs"),
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

    private static func profile(_ text: String) throws -> NetworkProfile {
        do { return try NetworkProfile(parsing: text) } catch { throw ValidationError("\(error).") }
    }

    static func rule(_ text: String) throws -> LoadNetworks.Rule {
        let halves = text.split(separator: ":", maxSplits: 1)
        guard halves.count == 2 else {
            throw ValidationError("\"\(text)\" names nobody; write for example 'subscriber 3:loss=5,delay=20'.")
        }
        guard let who = ParticipantSelector(halves[0]) else {
            throw ValidationError("\"\(halves[0])\" names nobody; use for example \(ParticipantSelector.forms).")
        }
        return LoadNetworks.Rule(who: who, profile: try profile(String(halves[1])))
    }
}
