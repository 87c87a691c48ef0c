import LoadCore
import RTCWire
import Testing

@Suite struct LoadPlanTests {
    private func settings(_ change: (inout LoadSettings) -> Void = { _ in }) -> LoadSettings {
        var settings = LoadSettings()
        (settings.audioPublishers, settings.videoPublishers, settings.subscribers) = (1, 1, 3)
        settings.duration = 30
        change(&settings)
        return settings
    }

    /// How many are there after each step, and how many there were at the most.
    private func population(_ plan: LoadPlan) -> (most: Int, last: Int) {
        var (present, most) = (Set<Int>(), 0)
        var cursor = PlanCursor(plan)
        while let time = cursor.deadline, let step = cursor.take(at: time) {
            switch step.action {
            case .join: #expect(present.insert(step.participant).inserted, "\(step) joins twice")
            case .leave: #expect(present.remove(step.participant) != nil, "\(step) was not there")
            case .endOfCycle: #expect(present.isEmpty)
            default: #expect(present.contains(step.participant), "\(step) is not there")
            }
            most = max(most, present.count)
        }
        return (most, present.count)
    }

    @Test func publishersComeFirstInEveryRoom() {
        let plan = LoadPlan(settings { ($0.rooms, $0.audioPublishers, $0.videoPublishers) = (100, 2, 1) })
        #expect(plan.participants.count == 500)
        #expect(plan.participants.prefix(200).allSatisfy { $0.publishes && !$0.subscribes })
        #expect(plan.participants.dropFirst(200).allSatisfy { !$0.publishes && $0.subscribes })
        let room = plan.participants.filter { $0.room == "load-7" }
        #expect(room.map(\.publishesAudio) == [true, true, false, false, false])
        #expect(room.map(\.publishesVideo) == [true, false, false, false, false])
        #expect(room.map(\.identity) == ["load_pub_0", "load_pub_1", "load_sub_0", "load_sub_1", "load_sub_2"])
        #expect(Set(plan.participants.map { "\($0.room)/\($0.identity)" }).count == 500)
    }

    @Test func aRampHasAnEvenPace() {
        let plan = LoadPlan(settings { ($0.subscribers, $0.arrival) = (19, .ramp(perSecond: 10)) })
        #expect(plan.steps.map(\.time) == (0..<20).map { .seconds(Double($0) / 10) })
        #expect(plan.arrived == .seconds(1.9))
        #expect(plan.end == .seconds(31.9))
    }

    @Test func aBurstComesAtOnce() {
        let plan = LoadPlan(settings { $0.arrival = .burst })
        #expect(plan.steps.allSatisfy { $0.time == .zero && $0.action == .join })
        #expect(plan.end == .seconds(30))
    }

    @Test func churnKeepsThePopulation() {
        let plan = LoadPlan(
            settings {
                ($0.rooms, $0.subscribers, $0.duration) = (4, 10, 600)
                $0.arrival = .churn(perSecond: 20, joinsPerMinute: 200)
            })
        let joins = plan.steps.filter { $0.action == .join && $0.time > plan.arrived }
        #expect((1998...2000).contains(joins.count))
        let leaves = plan.steps.filter { $0.action == .leave }
        #expect(leaves.count == joins.count)
        #expect(population(plan).last == 44)
        #expect(leaves.allSatisfy { plan.participants[$0.participant].subscribes })
        // Who leaves has been there longest, and the new one is in the same room.
        for (leave, join) in zip(leaves, joins) {
            #expect(plan.participants[leave.participant].room == plan.participants[join.participant].room)
            #expect(leave.time == join.time)
        }
        #expect(Set(plan.participants.map { "\($0.room)/\($0.identity)" }).count == plan.participants.count)
    }

    @Test func betweenCyclesNobodyIsThere() {
        let plan = LoadPlan(
            settings {
                $0.cycles = 3
                $0.arrival = .churn(perSecond: 20, joinsPerMinute: 60)
            })
        let (most, last) = population(plan)
        #expect(most == 4)
        #expect(last == 0)
        #expect(plan.steps.count { $0.action == .endOfCycle } == 3)
        #expect(Set(plan.participants.map(\.identity)).count == plan.participants.count)
    }

    @Test func aStormIsForEverybodyAtOnce() throws {
        let plan = LoadPlan(settings { $0.reconnectStorm = 10 })
        let storm = plan.steps.filter { $0.action == .reconnect }
        #expect(storm.map(\.participant).sorted() == [0, 1, 2, 3])
        #expect(Set(storm.map(\.time)) == [plan.arrived + .seconds(10)])
    }

    @Test(arguments: [1, 2, 3] as [UInt64]) func aSeedGivesOnePlan(seed: UInt64) {
        let busy = settings {
            ($0.audioPublishers, $0.simulatesSpeakers, $0.muteInterval) = (4, true, 8)
            ($0.messagesPerSecond, $0.seed) = (2, seed)
        }
        #expect(LoadPlan(busy) == LoadPlan(busy))
        var other = busy
        other.seed += 1
        #expect(LoadPlan(busy) != LoadPlan(other))
        #expect(population(LoadPlan(busy)).last == 7)
    }

    @Test func mutesEndAndMessagesKeepTheirRate() {
        let plan = LoadPlan(settings { ($0.muteInterval, $0.messagesPerSecond, $0.duration) = (6, 4, 60) })
        let mutes = plan.steps.compactMap { if case .mute(let on) = $0.action { on } else { nil } }
        #expect(mutes.count >= 14)
        #expect(mutes.enumerated().allSatisfy { $0.offset % 2 == 0 ? $0.element : !$0.element })
        #expect((230...240).contains(plan.steps.count { $0.action == .message }))
    }

    @Test func theFirstSubscribersOfTheRunDecode() {
        let plan = LoadPlan(settings { ($0.rooms, $0.decoders) = (3, 4) })
        #expect(plan.participants.filter(\.decodes).map(\.room) == ["load-0", "load-1", "load-2", "load-0"])
        #expect(plan.participants.filter(\.decodes).allSatisfy { $0.subscribes && !$0.publishes })
    }

    @Test func aCursorGivesWhatIsDueAndNoMore() {
        var cursor = PlanCursor(LoadPlan(settings { $0.arrival = .ramp(perSecond: 1) }))
        #expect(cursor.take(at: .zero)?.participant == 0)
        #expect(cursor.take(at: .milliseconds(999)) == nil)
        #expect(cursor.deadline == .seconds(1))
        #expect(cursor.take(at: .seconds(2))?.participant == 1)
        #expect(cursor.take(at: .seconds(2))?.participant == 2)
        cursor.end()
        #expect(cursor.deadline == nil)
    }
}
