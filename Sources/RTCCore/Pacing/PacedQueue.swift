import RTCWire

/// A packet that waits for its turn. Its bytes are not sealed yet, for they carry the moment at which it leaves.
struct PacedPacket: Sendable {
    /// Of the primary stream, also where the packet goes out on that of its repetitions.
    var stream: UInt32
    /// Of the packet, or of the one that it repeats; nil where that is not known.
    var sequence: UInt16?
    var isRepetition: Bool
    /// Kept for repetition once it is sealed.
    var isKeptSealed: Bool
    var payloadOffset: Int
    var length: Int
    var queued: Instant
}

/// Packets of one urgency, the oldest first: a ring of bytes and one of what is known of each, which grow to what the
/// largest burst needs and are kept. Adding and taking allocates nothing then.
struct PacedQueue: Sendable {
    private static let firstBytes = 8 * 1024
    private static let firstSlots = 16

    private struct Slot {
        var packet: PacedPacket
        var offset: Int
    }

    private let limit: Int
    private var memory: [UInt8] = []
    private var slots: [Slot?] = []
    private var oldest = 0
    private(set) var count = 0
    /// Where the next packet goes.
    private var head = 0
    /// Bytes of all packets that wait.
    private(set) var bytes = 0

    /// - Parameter limit: bytes that it may take at most.
    init(limit: Int) { self.limit = max(limit, 2048) }

    /// Bytes that it has for packets.
    var capacity: Int { memory.count }

    var isEmpty: Bool { count == 0 }
    var first: PacedPacket? { count == 0 ? nil : slots[oldest]?.packet }

    /// Puts a copy at the end. False where it is full.
    mutating func append(_ source: UnsafeRawBufferPointer, _ packet: PacedPacket) -> Bool {
        guard let offset = place(source.count) else { return false }
        if count == slots.count { growSlots() }
        memory.withUnsafeMutableBytes { ring in
            UnsafeMutableRawBufferPointer(rebasing: ring[offset..<(offset + source.count)]).copyMemory(from: source)
        }
        slots[(oldest + count) & (slots.count - 1)] = Slot(packet: packet, offset: offset)
        count += 1
        bytes += source.count
        head = offset + source.count
        return true
    }

    /// Takes the first one out and copies its bytes.
    mutating func takeFirst(into target: UnsafeMutableRawBufferPointer) -> PacedPacket? {
        guard count > 0, let slot = slots[oldest], slot.packet.length <= target.count else { return nil }
        memory.withUnsafeBytes { ring in
            target.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: ring[slot.offset..<(slot.offset + slot.packet.length)]))
        }
        oldest = (oldest + 1) & (slots.count - 1)
        count -= 1
        bytes -= slot.packet.length
        return slot.packet
    }

    mutating func removeAll() {
        count = 0
        bytes = 0
        head = 0
        oldest = 0
    }

    /// A contiguous place; nil where all memory that it may have is taken.
    private mutating func place(_ length: Int) -> Int? {
        while true {
            if let offset = free(length) { return offset }
            guard memory.count < limit else { return nil }
            grow()
        }
    }

    private func free(_ length: Int) -> Int? {
        guard count > 0, let tail = slots[oldest]?.offset else { return length <= memory.count ? 0 : nil }
        if head > tail {
            if head + length <= memory.count { return head }
            return length < tail ? 0 : nil
        }
        return head + length < tail ? head : nil
    }

    /// Doubles the memory; what waits moves to its beginning.
    private mutating func grow() {
        var larger = [UInt8](repeating: 0, count: min(limit, max(PacedQueue.firstBytes, 2 * memory.count)))
        var offset = 0
        for index in 0..<count {
            let place = (oldest + index) & (slots.count - 1)
            guard let slot = slots[place] else { continue }
            let length = slot.packet.length
            larger.replaceSubrange(offset..<(offset + length), with: memory[slot.offset..<(slot.offset + length)])
            slots[place]?.offset = offset
            offset += length
        }
        memory = larger
        head = offset
    }

    private mutating func growSlots() {
        var larger = [Slot?](repeating: nil, count: max(PacedQueue.firstSlots, 2 * slots.count))
        for index in 0..<count { larger[index] = slots[(oldest + index) & (slots.count - 1)] }
        slots = larger
        oldest = 0
    }
}
