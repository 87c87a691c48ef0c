import Testing

@testable import ScenarioCore

/// Roaming changes the network, the address, or both.
@Suite struct RoamingTests {
    private func steps(_ step: String, people: String = "") throws -> [ScenarioAction] {
        let plan = try Samples.plan(
            Samples.pair(people: people, timeline: "- \(step)", expect: "- {who: ada, ended: never}"))
        return plan.steps.map(\.action).filter { $0 != .join }
    }

    @Test func intoANetworkToAnAddressOrBoth() throws {
        #expect(try steps("{at: 1s, who: ada, do: roam, network: bad}") == [.roam("bad")])
        #expect(try steps("{at: 1s, who: ada, do: roam, address: new}") == [.roam(nil, toNewAddress: true)])
        #expect(
            try steps("{at: 1s, who: ada, do: roam, network: bad, address: new}") == [.roam("bad", toNewAddress: true)])
    }

    /// Whoever comes back comes from a third address, into the network that is theirs.
    @Test func itIsUndone() throws {
        let cleo = "  - {name: cleo, network: bad}"
        #expect(
            try steps("{at: 1s, who: ada, do: roam, address: new, for: 2s}")
                == [.roam(nil, toNewAddress: true), .roam(nil, toNewAddress: true)])
        #expect(
            try steps("{at: 1s, who: ada, do: roam, network: bad, address: new, for: 2s}")
                == [.roam("bad", toNewAddress: true), .roam("", toNewAddress: true)])
        #expect(
            try steps("{at: 1s, who: cleo, do: roam, network: bad, for: 2s}", people: cleo) == [
                .roam("bad"), .roam("bad"),
            ])
    }

    @Test(arguments: [
        ("{at: 1s, who: ada, do: roam}", "{at", "or address: new"),
        ("{at: 1s, who: ada, do: roam, address: old}", "old", "there is no \"old\""),
        ("{at: 1s, who: ada, do: mute, address: new}", "new}", "address means nothing for mute; it is for roam"),
        ("{at: 1s, who: ada, do: roam, network: bed, address: new}", "bed", "did you mean \"bad\"?"),
    ]) func mistakesAreToldWithTheirPlace(_ step: String, _ needle: String, _ says: String) throws {
        let text = Samples.pair(timeline: "- \(step)")
        let problem = try #require(Samples.problems(text).first { $0.text.contains(says) }, "\(Samples.problems(text))")
        #expect(problem.position == (try Samples.place(of: needle, in: text)))
    }

    private func flow(_ timeline: String) throws -> [Range<Int>] {
        let plan = try Samples.plan(
            Samples.pair(timeline: timeline, expect: "- {who: all, ended: never}", head: "recovery: 2s"))
        return PresencePlan(plan).flow(.audio, from: "ada", to: "bob").ranges
    }

    @Test func mediaComesBackWithinTheRecovery() throws {
        #expect(try flow("- {at: 3s, who: ada, do: roam, network: bad}") == [1500..<10_000])
        #expect(try flow("- {at: 3s, who: ada, do: roam, address: new}") == [1500..<3000, 6500..<10_000])
        #expect(try flow("- {at: 3s, who: bob, do: roam, address: new}") == [1500..<3000, 6500..<10_000])
    }

    @Test func whoIsCutOffComesBackWithTheNetwork() throws {
        let timeline = """
            - {at: 2s, who: ada, do: drop}
            - {at: 3s, who: ada, do: roam, address: new}
            - {at: 4s, who: ada, do: restore}
            """
        #expect(try flow(timeline) == [1500..<2000, 7500..<10_000])
    }

    @Test func whoWasNeverCutOffLosesNothingByRestoring() throws {
        #expect(try flow("- {at: 5s, who: ada, do: restore}") == [1500..<10_000])
    }
}
