/// A place in `Slots`, and which of its successive tenants is meant.
package struct SlotID: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32

    /// Names nobody.
    static let none = SlotID(index: 0, generation: 0)
}

/// Values that stay where they are until they are removed, found by position.
///
/// They are used in place: a value in an array that a class holds would be checked for exclusive access, or copied, each
/// time. Positions are used again; a generation tells a new tenant from the one that an old handle means.
struct Slots<Element: ~Copyable>: ~Copyable {
    /// Odd where the place is taken.
    private var generations: [UInt32] = []
    private var vacant: [UInt32] = []
    private var elements: UnsafeMutablePointer<Element>
    private var capacity: Int

    init(capacity: Int = 4) {
        self.capacity = max(capacity, 1)
        elements = .allocate(capacity: self.capacity)
    }

    deinit {
        for index in generations.indices where generations[index] & 1 == 1 {
            (elements + index).deinitialize(count: 1)
        }
        elements.deallocate()
    }

    /// Positions that are or were taken.
    var indices: Range<Int> { 0..<generations.count }

    func isTaken(_ index: Int) -> Bool { generations[index] & 1 == 1 }

    /// Where the tenant lives; nil where it has been removed.
    func index(of id: SlotID) -> Int? {
        let index = Int(id.index)
        guard index < generations.count, generations[index] == id.generation else { return nil }
        return index
    }

    /// The handle of the one who lives there now.
    func id(at index: Int) -> SlotID { SlotID(index: UInt32(index), generation: generations[index]) }

    /// Where the one at a position that is taken lives, until it is removed or another is inserted.
    ///
    /// Not the value itself: Swift 6.2 takes what a generic coroutine lends for consumed.
    subscript(index: Int) -> UnsafeMutablePointer<Element> {
        assert(isTaken(index))
        return elements + index
    }

    mutating func insert(_ element: consuming Element) -> SlotID {
        let index: Int
        if let free = vacant.popLast() {
            index = Int(free)
        } else {
            index = generations.count
            if index == capacity { grow() }
            generations.append(0)
        }
        generations[index] &+= 1
        (elements + index).initialize(to: element)
        return id(at: index)
    }

    mutating func remove(at index: Int) -> Element {
        assert(isTaken(index))
        generations[index] &+= 1
        vacant.append(UInt32(index))
        return (elements + index).move()
    }

    private mutating func grow() {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: capacity * 2)
        for index in generations.indices where isTaken(index) {
            (larger + index).initialize(to: (elements + index).move())
        }
        elements.deallocate()
        elements = larger
        capacity *= 2
    }
}
