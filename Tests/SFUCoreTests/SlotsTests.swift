import Testing

@testable import SFUCore

@Suite struct SlotsTests {
    /// Counts those who live.
    private final class Census { var living = 0 }

    private struct Tenant: ~Copyable {
        let number: Int
        private let census: Census

        init(_ number: Int, _ census: Census) {
            self.number = number
            self.census = census
            census.living += 1
        }

        deinit { census.living -= 1 }
    }

    @Test func placesAreUsedAgainAndOldHandlesNameNobody() throws {
        let census = Census()
        var slots = Slots<Tenant>(capacity: 1)
        let first = slots.insert(Tenant(1, census))
        let second = slots.insert(Tenant(2, census))
        #expect(first != second && census.living == 2)
        let found = slots.index(of: first)
        let place = try #require(found)
        _ = slots.remove(at: place)
        #expect(census.living == 1)
        let gone = slots.index(of: first)
        #expect(gone == nil)
        let third = slots.insert(Tenant(3, census))
        let taken = slots.index(of: third)
        let same = try #require(taken)
        let number = slots[same].pointee.number
        let stale = slots.index(of: first)
        #expect(same == place && number == 3 && stale == nil)
        let nobody = slots.index(of: .none)
        #expect(nobody == nil)
    }

    @Test func growthMovesAndTheEndFreesEverybody() throws {
        let census = Census()
        do {
            var slots = Slots<Tenant>(capacity: 1)
            var ids: [SlotID] = []
            for number in 0..<100 { ids.append(slots.insert(Tenant(number, census))) }
            for number in stride(from: 0, to: 100, by: 2) {
                let place = slots.index(of: ids[number])
                let index = try #require(place)
                _ = slots.remove(at: index)
            }
            #expect(census.living == 50)
            for number in stride(from: 1, to: 100, by: 2) {
                let place = slots.index(of: ids[number])
                let index = try #require(place)
                let found = slots[index].pointee.number
                #expect(found == number)
            }
        }
        #expect(census.living == 0)
    }
}
