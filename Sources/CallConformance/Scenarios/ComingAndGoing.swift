import CallBridge

extension ConformanceSuite {
    /// Joining, being there, leaving.
    static let comingAndGoing: [ConformanceScenario] = [
        ConformanceScenario("join-leave", "One alone is connected, leaves, and nothing happens after the end.") {
            stage in
            let ada = try await stage.join("ada")
            try await stage.until("ada's media is connected") { await ada.call.state == .active }
            let local = await ada.call.localParticipant
            try stage.expect(local.isLocal && local.identity == "ada", "ada is \(local.identity)")
            await ada.call.leave()
            try await stage.until("ada's call ends") { ada.ending != nil }
            try stage.expect(
                ada.ending == .lastMandatoryParticipantLeft,
                "leaving ended the call with \(String(describing: ada.ending))")
            let failure = await ada.call.failure
            try stage.expect(failure == nil, "leaving in order counts as a failure: \(String(describing: failure))")
            try await stage.expect(.invalidArgument, "publishing after the end") {
                try await ada.call.publish(.testTone(440))
            }
        },
        ConformanceScenario("two", "Two see each other come and go, each exactly once.") { stage in
            let people = try await stage.gather(["ada", "bob"])
            if stage.world.provider.capabilities.contains(.mediaOnDemand) {
                for person in people { try await person.call.publish(.testTone(440)) }
            }
            try await stage.until("an SRTP profile is named") { people.allSatisfy { $0.srtpProfile?.isEmpty == false } }
            try stage.expect(people[0].arrivals(of: "bob") == 1, "bob came \(people[0].arrivals(of: "bob")) times")
            try stage.expect(people[1].arrivals(of: "ada") == 1, "ada came \(people[1].arrivals(of: "ada")) times")
            await people[1].call.leave()
            try await stage.until("ada hears that bob left") { !people[0].departures(of: "bob").isEmpty }
            await stage.pass(milliseconds: 500)
            try stage.expect(
                people[0].departures(of: "bob") == [.hangUp], "bob left \(people[0].departures(of: "bob"))")
            let state = await people[0].call.state
            try stage.expect(state == .active, "ada's call is \(state.rawValue) when the other has left")
        },
        ConformanceScenario("many", "Five hear each one of the other four.") { stage in
            let names = ["ada", "bob", "cleo", "dan", "eve"]
            let people = try await stage.gather(names)
            for (index, person) in people.enumerated() {
                try await person.call.publish(.testTone(Double(400 + 150 * index)))
            }
            try await stage.until("everybody hears everybody") {
                people.allSatisfy { person in
                    names.enumerated().allSatisfy {
                        $1 == person.identity || person.hears($1, Double(400 + 150 * $0))
                    }
                }
            }
        },
        ConformanceScenario("late-joiner", "Who comes late hears and sees what was published before.") { stage in
            let ada = try await stage.join("ada")
            try await ada.call.publish(.testTone(440), .testCard(.small, sender: 7))
            await stage.pass(milliseconds: 2000)
            let bob = try await stage.join("bob")
            try await stage.until("bob hears and sees ada") { bob.hears("ada", 440) && bob.pictures(of: "ada") >= 5 }
            try stage.expect(bob.arrivals(of: "ada") == 1, "ada came \(bob.arrivals(of: "ada")) times")
        },
        ConformanceScenario("rejoin", "Who leaves and comes back is the same person on another visit.") { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await people[0].call.publish(.testTone(440))
            let first = people[0].present.first?.id
            await people[1].call.leave()
            try await stage.until("ada hears that bob left") { people[0].departures(of: "bob") == [.hangUp] }
            let bob = try await stage.join("bob")
            try await stage.until("bob is back and hears ada") {
                people[0].arrivals(of: "bob") == 2 && bob.hears("ada", 440)
            }
            try stage.expect(
                people[0].present.map(\.identity) == ["bob"], "there is \(people[0].present.map(\.identity))")
            try stage.expect(people[0].present.first?.id != first, "the second visit has the first one's id")
        },
        ConformanceScenario("rooms", "Calls with different rooms don't hear of one another.") { stage in
            let ada = try await stage.join("ada", room: "one")
            let bob = try await stage.join("bob", room: "two")
            try await ada.call.publish(.testTone(440))
            try await stage.until("both are connected") {
                let (first, second) = (await ada.call.state, await bob.call.state)
                return first == .active && second == .active
            }
            await stage.pass(milliseconds: 1500)
            try stage.expect(ada.present.isEmpty && bob.present.isEmpty, "one room leaks into the other")
        },
    ]
}

extension LocalMedia.VideoFormat {
    /// Large enough to be read, small enough for many in one process.
    static let small = LocalMedia.VideoFormat(width: 320, height: 180, frameRate: 10, bitrate: 300_000)
}
