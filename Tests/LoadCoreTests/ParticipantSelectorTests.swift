import LoadCore
import Testing

@Suite struct ParticipantSelectorTests {
    private func plan(_ rooms: Int = 3) -> LoadPlan {
        var settings = LoadSettings()
        (settings.rooms, settings.audioPublishers, settings.subscribers) = (rooms, 2, 10)
        return LoadPlan(settings)
    }

    private func selected(_ text: String, _ plan: LoadPlan) throws -> [PlannedParticipant] {
        let selector = try #require(ParticipantSelector(text))
        return plan.participants.filter(selector.selects)
    }

    @Test(arguments: [
        ("everybody", 36), ("publishers", 6), ("subscribers", 30), ("publisher 1", 3), ("subscriber 9", 3),
        ("subscriber 10", 0), ("10% of subscribers", 3), ("100% of publishers", 6), ("50% of everybody", 18),
        (" Subscriber  3 ", 3), ("2.5% of subscribers", 0),
    ])
    func whoIsMeant(text: String, count: Int) throws { #expect(try selected(text, plan()).count == count) }

    @Test func oneIsTheOneOfThatIdentity() throws {
        #expect(try Set(selected("subscriber 3", plan()).map(\.identity)) == ["load_sub_3"])
        #expect(try Set(selected("publisher 0", plan()).map(\.identity)) == ["load_pub_0"])
    }

    @Test func aShareIsSpreadOverAllRooms() throws {
        let some = try selected("10% of subscribers", plan(20))
        #expect(some.count == 20 && Set(some.map(\.room)).count >= 2)
        #expect(try selected("30% of subscribers", plan(7)).count == 21)
    }

    @Test func whoTakesAnothersPlaceHasItsNetwork() throws {
        var settings = LoadSettings()
        (settings.audioPublishers, settings.subscribers, settings.duration) = (1, 2, 70)
        settings.arrival = .churn(perSecond: 10, joinsPerMinute: 4)
        let some = try selected("subscriber 1", LoadPlan(settings))
        #expect(some.map(\.identity) == ["load_sub_1", "load_sub_n1", "load_sub_n3"])
    }

    @Test(arguments: [
        "", "nobody", "subscriber", "subscriber x", "subscriber -1", "subscriber 1 2", "0% of subscribers",
        "101% of subscribers", "nan% of subscribers", "10 of subscribers", "10% of rooms", "publishers 3",
        "everybody 1",
        "subscriber 99999999999999999999",
    ])
    func nobody(text: String) { #expect(ParticipantSelector(text) == nil) }
}
