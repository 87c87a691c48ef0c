import RTCWire

/// What will happen, soonest first; of things at the same instant, the one added first.
struct EventQueue<Element> {
    private struct Entry {
        var instant: Instant
        var order: Int
        var element: Element

        func precedes(_ other: Entry) -> Bool {
            instant == other.instant ? order < other.order : instant < other.instant
        }
    }

    private var heap: [Entry] = []
    private var order = 0

    var isEmpty: Bool { heap.isEmpty }
    var next: Instant? { heap.first?.instant }

    mutating func add(_ element: Element, at instant: Instant) {
        heap.append(Entry(instant: instant, order: order, element: element))
        order += 1
        siftUp(heap.count - 1)
    }

    /// The soonest element, where it is due by `now`.
    mutating func pop(by now: Instant) -> (instant: Instant, element: Element)? {
        guard let first = heap.first, first.instant <= now else { return nil }
        let last = heap.removeLast()
        if !heap.isEmpty {
            heap[0] = last
            siftDown(0)
        }
        return (first.instant, first.element)
    }

    private mutating func siftUp(_ start: Int) {
        var index = start
        while index > 0 {
            let parent = (index - 1) / 2
            guard heap[index].precedes(heap[parent]) else { return }
            heap.swapAt(index, parent)
            index = parent
        }
    }

    private mutating func siftDown(_ start: Int) {
        var index = start
        while true {
            let left = 2 * index + 1
            guard left < heap.count else { return }
            let right = left + 1
            let child = right < heap.count && heap[right].precedes(heap[left]) ? right : left
            guard heap[child].precedes(heap[index]) else { return }
            heap.swapAt(index, child)
            index = child
        }
    }
}
