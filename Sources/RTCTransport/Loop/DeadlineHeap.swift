import RTCWire

/// What has a place in a `DeadlineHeap`: one at a time.
protocol DeadlineEntry: AnyObject {
    /// Kept by the heap; -1 outside of it.
    var heapPosition: Int { get set }
}

/// Deadlines, soonest first; those of one instant in the order in which they were set.
///
/// A binary heap whose entries know their place: setting, moving and removing one takes steps in the order of the
/// logarithm of their number, and nothing is ever scanned.
struct DeadlineHeap<Entry: DeadlineEntry> {
    private struct Node {
        var deadline: Instant
        var order: UInt64
        var entry: Entry

        func precedes(_ other: Node) -> Bool {
            deadline == other.deadline ? order < other.order : deadline < other.deadline
        }
    }

    private var nodes: [Node] = []
    /// What the next entry to be set is younger than.
    private(set) var mark: UInt64 = 0

    var count: Int { nodes.count }

    /// The soonest deadline.
    var next: Instant? { nodes.first?.deadline }

    /// Puts `entry` in, or moves it; one whose deadline stays the same keeps its turn.
    mutating func set(_ entry: Entry, to deadline: Instant) {
        let place = entry.heapPosition
        guard place >= 0 else {
            nodes.append(Node(deadline: deadline, order: takeOrder(), entry: entry))
            return rise(from: nodes.count - 1)
        }
        guard nodes[place].deadline != deadline else { return }
        let isSooner = deadline < nodes[place].deadline
        nodes[place].deadline = deadline
        nodes[place].order = takeOrder()
        if isSooner { rise(from: place) } else { sink(from: place) }
    }

    /// Takes `entry` out, if it is in.
    mutating func remove(_ entry: Entry) {
        let place = entry.heapPosition
        guard place >= 0 else { return }
        entry.heapPosition = -1
        let last = nodes.removeLast()
        guard last.entry !== entry else { return }
        nodes[place] = last
        if place > 0, last.precedes(nodes[(place - 1) / 2]) { rise(from: place) } else { sink(from: place) }
    }

    /// Takes the soonest entry out, where it is due by `now` and was set before `mark` had that value: what an entry sets
    /// while it is being dealt with waits for the next turn.
    mutating func pop(by now: Instant, setBefore mark: UInt64 = .max) -> Entry? {
        guard let first = nodes.first, first.deadline <= now, first.order < mark else { return nil }
        remove(first.entry)
        return first.entry
    }

    /// Takes all entries out, in no order.
    mutating func removeAll() -> [Entry] {
        defer { nodes = [] }
        for node in nodes { node.entry.heapPosition = -1 }
        return nodes.map(\.entry)
    }

    private mutating func takeOrder() -> UInt64 {
        defer { mark += 1 }
        return mark
    }

    private mutating func rise(from start: Int) {
        let moving = nodes[start]
        var place = start
        while place > 0 {
            let parent = (place - 1) / 2
            guard moving.precedes(nodes[parent]) else { break }
            nodes[place] = nodes[parent]
            nodes[place].entry.heapPosition = place
            place = parent
        }
        nodes[place] = moving
        moving.entry.heapPosition = place
    }

    private mutating func sink(from start: Int) {
        let moving = nodes[start]
        var place = start
        while true {
            var child = 2 * place + 1
            guard child < nodes.count else { break }
            if child + 1 < nodes.count, nodes[child + 1].precedes(nodes[child]) { child += 1 }
            guard nodes[child].precedes(moving) else { break }
            nodes[place] = nodes[child]
            nodes[place].entry.heapPosition = place
            place = child
        }
        nodes[place] = moving
        moving.entry.heapPosition = place
    }
}
