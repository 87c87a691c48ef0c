import LoadCore
import RTCWire
import Testing

@Suite struct ShardTests {
    private func plan(_ shard: LoadShard?, _ change: (inout LoadSettings) -> Void = { _ in }) -> LoadPlan {
        var settings = LoadSettings()
        (settings.rooms, settings.audioPublishers, settings.videoPublishers, settings.subscribers) = (6, 1, 1, 4)
        settings.duration = 20
        settings.shard = shard
        change(&settings)
        return LoadPlan(settings)
    }

    private func shards(_ count: Int) throws -> [LoadShard] {
        try (0..<count).map { try #require(LoadShard(index: $0, count: count)) }
    }

    @Test(arguments: [(0, 0), (-1, 2), (2, 2), (0, 1_001), (0, -3)])
    func noParts(index: Int, count: Int) { #expect(LoadShard(index: index, count: count) == nil) }

    @Test(arguments: [1, 2, 3, 6, 7, 40])
    func thePartsMakeTheWhole(count: Int) throws {
        let whole = plan(nil) {
            ($0.messagesPerSecond, $0.callsPerSecond, $0.muteInterval, $0.simulatesSpeakers) = (1, 1, 5, true)
        }
        var steps: [String] = []
        var size = 0
        for shard in try shards(count) {
            let part = plan(shard) {
                ($0.messagesPerSecond, $0.callsPerSecond, $0.muteInterval, $0.simulatesSpeakers) = (1, 1, 5, true)
            }
            #expect(part.participants.map(\.identity) == whole.participants.map(\.identity))
            #expect(part.steps.allSatisfy { part.participants[$0.participant].isOurs })
            #expect((part.end, part.arrived) == (whole.end, whole.arrived))
            steps += part.steps.map { "\($0)" }
            size += part.size
        }
        #expect(steps.sorted() == whole.steps.map { "\($0)" }.sorted())
        #expect(size == whole.size && size == 30)
    }

    @Test func wholeRoomsStayTogetherWhereThereAreEnough() throws {
        for shard in try shards(3) {
            let ours = Set(plan(shard).participants.filter(\.isOurs).map(\.room))
            let others = Set(plan(shard).participants.filter { !$0.isOurs }.map(\.room))
            #expect(ours.count == 2 && ours.isDisjoint(with: others))
        }
    }

    @Test func oneRoomIsSharedEvenly() throws {
        let sizes = try shards(4).map { plan($0) { ($0.rooms, $0.subscribers) = (1, 399) }.size }
        #expect(sizes == [101, 100, 100, 99])
    }

    @Test func whoTakesAnothersPlaceIsOfTheSamePart() {
        let part = plan(LoadShard(index: 1, count: 2)) {
            $0.arrival = .churn(perSecond: 50, joinsPerMinute: 120)
        }
        var present: Set<Int> = []
        for step in part.steps {
            if step.action == .join { #expect(present.insert(step.participant).inserted) }
            if step.action == .leave { #expect(present.remove(step.participant) != nil) }
        }
        #expect(present.count == 15 && part.size > 15)
    }

    @Test func everyPartKnowsWhenACycleIsOver() throws {
        for shard in try shards(2) {
            let ends = plan(shard) { $0.cycles = 3 }.steps.filter { $0.action == .endOfCycle }
            #expect(ends.count == 3)
        }
    }
}
