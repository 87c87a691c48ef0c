import LoadCore
import RTCWire
import Testing

@Suite struct PlannedCallTests {
    private func calls(_ change: (inout LoadSettings) -> Void) -> [(
        caller: PlannedParticipant, other: PlannedParticipant, time: Interval
    )] {
        var settings = LoadSettings()
        (settings.audioPublishers, settings.subscribers, settings.duration, settings.callsPerSecond) = (2, 3, 21, 2)
        settings.arrival = .burst
        change(&settings)
        let plan = LoadPlan(settings)
        return plan.steps.compactMap { step in
            guard case .call(let other) = step.action else { return nil }
            return (plan.participants[step.participant], plan.participants[other], step.time)
        }
    }

    @Test func subscribersCallTheirPublishersInTurn() {
        let all = calls { $0.rooms = 2 }
        #expect(all.allSatisfy { !$0.caller.publishes && $0.other.publishes && $0.caller.room == $0.other.room })
        #expect((6 * 39...6 * 40).contains(all.count))
        let one = all.filter { $0.caller.identity == "load_sub_0" && $0.caller.room == "load-0" }.map(\.other.identity)
        #expect(zip(one, one.dropFirst()).allSatisfy { $0 != $1 })
    }

    @Test func theyEndASecondBeforeTheEnd() {
        let all = calls { _ in }
        #expect(all.allSatisfy { $0.time < .seconds(20) })
    }

    @Test func wherePublishersAreAloneTheyCallEachOther() {
        let all = calls { ($0.subscribers, $0.audioPublishers) = (0, 3) }
        #expect(!all.isEmpty && all.allSatisfy { $0.caller.identity != $0.other.identity })
        #expect(calls { ($0.subscribers, $0.audioPublishers) = (0, 1) }.isEmpty)
        #expect(calls { ($0.subscribers, $0.audioPublishers) = (5, 0) }.isEmpty)
    }

    @Test func roomsMayHaveNamesOfTheirOwn() {
        var settings = LoadSettings()
        (settings.rooms, settings.subscribers, settings.roomNames) = (2, 1, ["one", "two"])
        #expect(LoadPlan(settings).participants.map(\.room) == ["one", "two"])
    }
}
