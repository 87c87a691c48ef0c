import CallBridge

extension ConformanceSuite {
    /// Refusals and ends from outside.
    static let endings: [ConformanceScenario] = [
        ConformanceScenario("refused", "Wrong credentials are refused with a typed error.") { stage in
            guard let descriptor = try await stage.world.refusedDescriptor() else {
                throw ConformanceLeftOut(text: "the provider refuses nobody")
            }
            try await stage.expect(.providerRefused, "joining with wrong credentials") {
                _ = try await stage.join("eve", descriptor)
            }
        },
        ConformanceScenario(
            "removed", "Who is removed is out, and the others are told why.", faults: [.removed]
        ) { stage in
            let people = try await stage.gather(["ada", "bob", "cleo"])
            try await people[1].call.publish(.testTone(440))
            try await stage.until("ada hears bob") { people[0].hears("bob", 440) }
            try await stage.inject(.removed(identity: "bob", room: ConformanceStage.room))
            try await stage.until("bob's call ends") { people[1].ending != nil }
            try await stage.until("the others see bob go") {
                people[0].departures(of: "bob") == [.removed] && people[2].departures(of: "bob") == [.removed]
            }
            try stage.expect(people[0].ending == nil && people[2].ending == nil, "it ended for the others, too")
        },
        ConformanceScenario("duplicate", "The same identity again takes the place of the first.") { stage in
            guard !stage.world.provider.capabilities.contains(.sharedIdentities) else {
                throw ConformanceLeftOut(text: "several may have one identity with this provider")
            }
            let people = try await stage.gather(["ada", "bob"])
            let second = try await stage.join("ada")
            try await second.call.publish(.testTone(660))
            try await stage.until("the first ada is out") { people[0].ending != nil }
            try await stage.until("bob hears the second ada") {
                people[1].arrivals(of: "ada") == 2 && people[1].hears("ada", 660)
            }
            try await stage.until("bob sees one ada only") {
                people[1].present.count == 1 && people[1].departures(of: "ada").count == 1
            }
            try stage.expect(second.ending == nil, "the second ada is out, too")
        },
        ConformanceScenario(
            "room-ended", "A conversation that is ended ends the call for everybody, with that reason.",
            faults: [.roomEnded]
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await stage.inject(.roomEnded(ConformanceStage.room))
            try await stage.until("it ends for both") { people.allSatisfy { $0.ending != nil } }
            try stage.expect(
                people.allSatisfy { $0.ending == .conversationEnded },
                "it ended with \(people.map { String(describing: $0.ending) })")
        },
        ConformanceScenario(
            "provider-lost", "A server that goes down in the call is a provider lost; it lets nobody in afterwards.",
            faults: [.serverStopped]
        ) { stage in
            let people = try await stage.gather(["ada", "bob"])
            try await stage.inject(.serverStopped)
            try await stage.until("it ends for both") { people.allSatisfy { $0.ending != nil } }
            for person in people {
                let failure = await person.call.failure
                try stage.expect(
                    person.ending == .systemShutdown && failure?.code == .providerLost,
                    "\(person.identity) ended with \(String(describing: person.ending)), \(String(describing: failure))"
                )
            }
            try await stage.expect(.unreachable, "joining a server that is down") { _ = try await stage.join("cleo") }
        },
    ]
}
