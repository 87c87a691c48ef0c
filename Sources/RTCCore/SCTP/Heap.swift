/// A binary heap with the least element first. Entries that have become meaningless are recognised by whoever takes them.
struct Heap<Element: Comparable> {
    private var elements: [Element] = []

    var count: Int { elements.count }
    var least: Element? { elements.first }

    mutating func insert(_ element: Element) {
        elements.append(element)
        var child = elements.count - 1
        while child > 0, elements[child] < elements[(child - 1) / 2] {
            elements.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    @discardableResult
    mutating func removeLeast() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let least = elements.first else { return last }
        elements[0] = last
        var parent = 0
        while let child = lesserChild(of: parent), elements[child] < elements[parent] {
            elements.swapAt(child, parent)
            parent = child
        }
        return least
    }

    mutating func removeAll() { elements.removeAll(keepingCapacity: true) }

    private func lesserChild(of parent: Int) -> Int? {
        let left = 2 * parent + 1
        guard left < elements.count else { return nil }
        return left + 1 < elements.count && elements[left + 1] < elements[left] ? left + 1 : left
    }
}
