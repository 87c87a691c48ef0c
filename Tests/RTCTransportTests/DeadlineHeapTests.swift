import RTCSim
import RTCWire
import Testing

@testable import RTCTransport

/// Deadlines against a list that is sorted each time.
@Suite struct DeadlineHeapTests {
    private final class Entry: DeadlineEntry {
        let number: Int
        var heapPosition = -1

        init(_ number: Int) { self.number = number }
    }

    /// What the heap is to do, done plainly.
    private struct Model {
        private var entries: [(number: Int, deadline: Int64, order: Int)] = []
        private var order = 0

        mutating func set(_ number: Int, _ deadline: Int64) {
            if entries.contains(where: { $0.number == number && $0.deadline == deadline }) { return }
            remove(number)
            entries.append((number, deadline, order))
            order += 1
        }

        mutating func remove(_ number: Int) { entries.removeAll { $0.number == number } }

        mutating func pop(by now: Int64) -> Int? {
            let first = entries.min { ($0.deadline, $0.order) < ($1.deadline, $1.order) }
            guard let first, first.deadline <= now else { return nil }
            remove(first.number)
            return first.number
        }

        var next: Int64? { entries.map(\.deadline).min() }
    }

    @Test(arguments: 0..<20) func itDoesWhatASortedListDoes(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let entries = (0..<64).map(Entry.init)
        var heap = DeadlineHeap<Entry>()
        var model = Model()
        for _ in 0..<4000 {
            let entry = entries[Int.random(in: 0..<64, using: &random)]
            let time = Int64.random(in: 0..<40, using: &random)
            switch Int.random(in: 0..<8, using: &random) {
            case 0..<5:
                heap.set(entry, to: Instant(nanoseconds: time))
                model.set(entry.number, time)
            case 5:
                heap.remove(entry)
                model.remove(entry.number)
            default:
                while let expected = model.pop(by: time) {
                    let popped = heap.pop(by: Instant(nanoseconds: time))
                    #expect(popped?.number == expected && popped?.heapPosition == -1)
                }
                let none = heap.pop(by: Instant(nanoseconds: time))
                #expect(none == nil)
            }
            #expect(heap.next?.nanoseconds == model.next)
        }
        #expect(heap.removeAll().map(\.number).sorted() == drained(&model).sorted())
        #expect(heap.count == 0 && entries.allSatisfy { $0.heapPosition == -1 })
    }

    private func drained(_ model: inout Model) -> [Int] {
        var numbers: [Int] = []
        while let number = model.pop(by: .max) { numbers.append(number) }
        return numbers
    }

    /// What sets itself anew while it is dealt with does not keep the others waiting for ever.
    @Test func whatIsSetMeanwhileWaitsForTheNextTurn() {
        var heap = DeadlineHeap<Entry>()
        let (first, second) = (Entry(1), Entry(2))
        heap.set(first, to: .zero)
        heap.set(second, to: .zero)
        let mark = heap.mark
        var order: [Int] = []
        while let entry = heap.pop(by: .zero, setBefore: mark) {
            order.append(entry.number)
            heap.set(entry, to: .zero)
        }
        #expect(order == [1, 2] && heap.count == 2)
    }
}
