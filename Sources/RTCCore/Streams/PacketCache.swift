import RTCWire

/// The latest packets of one stream that we send, for retransmission, by sequence number.
///
/// A stream with RTX keeps plaintext, for each repetition is a new packet; one without keeps what it sent, sealed, for
/// the same SRTP index must never carry different bytes.
///
/// Their bytes stand one behind the other in a ring, which grows while packets in it may still be asked for and no further
/// than so many packets need, and so does what is known of each: what a slow stream keeps is little. Packets that are known
/// to have come are given up at once, so that little is kept where the other side tells; what a burst of them has taken,
/// a key frame, is given back within a second.
final class PacketCache {
    /// A packet that is younger is not given up for want of space, unless the ring is as large as it may be.
    static let retention = Interval.seconds(1)
    private static let firstSize = 4 * 1024
    private static let firstSlots = 32
    /// The ring is as large as what was kept in the latest two of these.
    private static let window = Interval.milliseconds(300)

    private struct Slot {
        var sequence: UInt16 = 0
        /// 0 for none.
        var length: UInt16 = 0
        var offset: UInt32 = 0
        var stored: Instant = .zero
        /// `distantFuture` before it has been repeated: an optional would make each slot a third larger.
        var resent = Instant.distantFuture
    }

    private var mask: Int
    private let maximumMask: Int
    private let largest: Int
    private let limit: Int
    private var slots: [Slot]
    private var memory: UnsafeMutableRawPointer
    private var size: Int
    /// Where the next packet goes.
    private var head = 0
    /// Slots in the order in which they were filled, from `oldest` on, in a circle; those that were filled again since are
    /// in it twice, and their first place is void.
    private var order: [(slot: UInt16, offset: UInt32)]
    private var oldest = 0
    private var count = 0
    /// Bytes of what is still here: packets that were given up leave gaps.
    private var kept = 0
    /// The most of that in the present window and in the one before.
    private var peaks = (present: 0, before: 0)
    private var windowEnd: Instant?

    /// `packets` is rounded up to a power of two, 1...32,768.
    ///
    /// - Parameter slotSize: the largest packet that is kept, bytes.
    init(packets: Int, slotSize: Int) {
        var capacity = 1
        while capacity < min(max(packets, 1), 32_768) { capacity *= 2 }
        maximumMask = capacity - 1
        mask = min(capacity, PacketCache.firstSlots) - 1
        largest = min(max(slotSize, 1), Int(UInt16.max))
        // One packet more, for what stays free at the end of the ring.
        limit = (capacity + 1) * largest
        size = min(limit, max(PacketCache.firstSize, 2 * largest))
        memory = .allocate(byteCount: size, alignment: 16)
        slots = Array(repeating: Slot(), count: mask + 1)
        order = Array(repeating: (0, 0), count: mask + 1)
    }

    deinit { memory.deallocate() }

    /// Bytes that are held for packets.
    var capacity: Int { size }

    /// Keeps a copy; a packet larger than a slot is not kept.
    func store(_ packet: UnsafeRawBufferPointer, sequence: UInt16, now: Instant) {
        guard !packet.isEmpty, packet.count <= largest, let source = packet.baseAddress else { return }
        while mask < maximumMask, needsSlot(sequence, now: now) { growSlots() }
        if count > mask { forgetOldest() }
        turnWindow(now)
        let offset = place(packet.count, now: now)
        (memory + offset).copyMemory(from: source, byteCount: packet.count)
        let index = Int(sequence) & mask
        kept += packet.count - Int(slots[index].length)
        peaks.present = max(peaks.present, kept)
        slots[index] = Slot(
            sequence: sequence, length: UInt16(packet.count), offset: UInt32(offset), stored: now)
        order[(oldest + count) & mask] = (UInt16(index), UInt32(offset))
        count += 1
        head = offset + packet.count
    }

    /// The packet, where it is still here, no older than `age` and not repeated within `spacing`; marks it as repeated now.
    /// The bytes are valid until the next `store`.
    func take(_ sequence: UInt16, now: Instant, age: Interval, spacing: Interval) -> UnsafeRawBufferPointer? {
        let index = Int(sequence) & mask
        let slot = slots[index]
        guard slot.length > 0, slot.sequence == sequence, now - slot.stored <= age else { return nil }
        if slot.resent < .distantFuture, now - slot.resent < spacing { return nil }
        slots[index].resent = now
        return UnsafeRawBufferPointer(start: memory + Int(slot.offset), count: Int(slot.length))
    }

    /// Gives up a packet that nobody will ask for.
    func release(_ sequence: UInt16) {
        let index = Int(sequence) & mask
        if slots[index].sequence == sequence { clear(index) }
    }

    // MARK: The slots

    /// Whether a packet that may still be asked for would lose its slot.
    private func needsSlot(_ sequence: UInt16, now: Instant) -> Bool {
        let slot = slots[Int(sequence) & mask]
        if slot.length > 0, slot.sequence != sequence, now - slot.stored < PacketCache.retention { return true }
        return count > mask && isWanted(order[oldest], now: now)
    }

    private func growSlots() {
        let larger = 2 * mask + 1
        var moved = Array(repeating: Slot(), count: larger + 1)
        var places: [(slot: UInt16, offset: UInt32)] = Array(repeating: (0, 0), count: larger + 1)
        var kept = 0
        for position in 0..<count {
            let entry = order[(oldest + position) & mask]
            let slot = slots[Int(entry.slot)]
            guard slot.length > 0, slot.offset == entry.offset else { continue }
            let index = Int(slot.sequence) & larger
            moved[index] = slot
            places[kept] = (UInt16(index), entry.offset)
            kept += 1
        }
        (slots, order, mask) = (moved, places, larger)
        (oldest, count) = (0, kept)
    }

    // MARK: The ring

    /// Finds room for so many bytes; gives up what stands there.
    private func place(_ length: Int, now: Instant) -> Int {
        while true {
            // Free is what lies from the head to the oldest packet, or to the end and from the beginning to it.
            guard count > 0 else { return length <= size ? 0 : makeRoom(length) }
            let tail = Int(order[oldest].offset)
            if head > tail {
                if head + length <= size { return head }
                if length < tail { return 0 }
            } else if head + length < tail {
                return head
            }
            if size < limit, isWanted(order[oldest], now: now) { return makeRoom(length) }
            forgetOldest()
        }
    }

    /// Whether a packet may still be asked for.
    private func isWanted(_ entry: (slot: UInt16, offset: UInt32), now: Instant) -> Bool {
        let slot = slots[Int(entry.slot)]
        return slot.length > 0 && slot.offset == entry.offset && now - slot.stored < PacketCache.retention
    }

    private func forgetOldest() {
        let entry = order[oldest]
        if slots[Int(entry.slot)].offset == entry.offset { clear(Int(entry.slot)) }
        oldest = (oldest + 1) & mask
        count -= 1
    }

    private func clear(_ index: Int) {
        kept -= Int(slots[index].length)
        slots[index].length = 0
    }

    /// Moves everything to a ring without gaps, and to a larger one where that is not room enough; gives the place behind it.
    private func makeRoom(_ length: Int) -> Int {
        let isFull = kept + length > size - size / 4
        return move(to: isFull ? min(limit, size + max(size / 4, PacketCache.firstSize, 2 * length)) : size)
    }

    /// Gives back what a burst has taken, once that is over.
    private func turnWindow(_ now: Instant) {
        guard now >= windowEnd ?? now else { return }
        let need = max(peaks.present, peaks.before)
        windowEnd = now + PacketCache.window
        peaks = (kept, peaks.present)
        let smaller = max(need + need / 3, PacketCache.firstSize, 2 * largest)
        if smaller <= size - size / 4 { _ = move(to: smaller) }
    }

    /// Moves everything to a ring of that size, without gaps; gives the place behind it.
    private func move(to size: Int) -> Int {
        let moved = UnsafeMutableRawPointer.allocate(byteCount: size, alignment: 16)
        var end = 0
        var kept = 0
        for position in 0..<count {
            let entry = order[(oldest + position) & mask]
            let slot = slots[Int(entry.slot)]
            guard slot.length > 0, slot.offset == entry.offset else { continue }
            (moved + end).copyMemory(from: memory + Int(slot.offset), byteCount: Int(slot.length))
            slots[Int(entry.slot)].offset = UInt32(end)
            order[(oldest + kept) & mask] = (entry.slot, UInt32(end))
            end += Int(slot.length)
            kept += 1
        }
        memory.deallocate()
        memory = moved
        self.size = size
        count = kept
        head = end
        return end
    }
}
