/// A queue whose elements leave in the order in which they came, with access by position.
struct FIFO<Element> {
    private var slots: [Element?] = []
    private var head = 0

    var count: Int { slots.count - head }
    var isEmpty: Bool { count == 0 }
    var first: Element? { isEmpty ? nil : slots[head] }

    mutating func append(_ element: Element) { slots.append(element) }

    /// The element at that distance from the front; nil beyond the end.
    func at(_ index: Int) -> Element? { index >= 0 && index < count ? slots[head + index] : nil }

    /// Changes an element in place; nothing happens beyond the end.
    mutating func update<Result>(_ index: Int, _ body: (inout Element) -> Result) -> Result? {
        guard index >= 0, index < count, var element = slots[head + index].take() else { return nil }
        defer { slots[head + index] = element }
        return body(&element)
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard !isEmpty else { return nil }
        let element = slots[head].take()
        head += 1
        // Rarely enough that each element is moved once on average.
        if head > 32, head * 2 > slots.count {
            slots.removeFirst(head)
            head = 0
        }
        return element
    }

    mutating func removeAll() {
        slots.removeAll()
        head = 0
    }
}
