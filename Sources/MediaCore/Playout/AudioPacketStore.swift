import RTCWire

/// The packets that wait in a jitter buffer: a ring by sequence number, with payload memory that is used again.
///
/// Memory is bounded by `capacity` payloads of at most `maximumPayload` bytes; in practice only as many payload
/// buffers are ever made as wait at the same time.
struct AudioPacketStore: ~Copyable {
    struct Slot {
        var sequence: Int64 = 0
        /// Unwrapped RTP timestamp, 48 kHz.
        var timestamp: Int64 = 0
        var arrival = Instant.zero
        var info = PlayoutPacketInfo(frameCount: 0)
        /// The sender's time line that `timestamp` belongs to.
        var epoch: Int32 = 0
        /// Index of the payload's memory; -1 where the slot is empty.
        var buffer: Int16 = -1
        var length: UInt16 = 0
        /// It came inside a later packet.
        var isCopy = false
    }

    let capacity: Int
    private(set) var count = 0
    private var slots: [Slot]
    private var buffers: [UnsafeMutableRawBufferPointer] = []
    private var free: [Int16] = []

    /// - Parameter capacity: rounded up to a power of two, 16...1,024.
    init(capacity: Int) {
        var size = 16
        while size < min(capacity, 1_024) { size *= 2 }
        self.capacity = size
        slots = [Slot](repeating: Slot(), count: size)
    }

    deinit { for buffer in buffers { buffer.deallocate() } }

    private func index(_ sequence: Int64) -> Int { Int(truncatingIfNeeded: sequence) & (capacity &- 1) }

    func contains(_ sequence: Int64) -> Bool {
        let slot = slots[index(sequence)]
        return slot.buffer >= 0 && slot.sequence == sequence
    }

    /// Whether a packet of that time waits among the 32 numbers around `sequence`.
    func contains(timestamp: Int64, near sequence: Int64) -> Bool {
        for offset in -16...Int64(16) {
            let slot = slots[index(sequence &+ offset)]
            if slot.buffer >= 0, slot.timestamp == timestamp { return true }
        }
        return false
    }

    /// Stores a copy of `payload`; false where its place is taken.
    mutating func insert(_ slot: Slot, payload: UnsafeRawBufferPointer) -> Bool {
        let place = index(slot.sequence)
        guard slots[place].buffer < 0, let length = UInt16(exactly: payload.count) else { return false }
        let buffer = takeBuffer(payload.count)
        buffers[Int(buffer)].copyMemory(from: payload)
        slots[place] = slot
        slots[place].buffer = buffer
        slots[place].length = length
        count += 1
        return true
    }

    /// The waiting packet with the lowest number from `sequence` on.
    func first(from sequence: Int64) -> Slot? {
        guard count > 0 else { return nil }
        for offset in 0..<capacity {
            let wanted = sequence &+ Int64(offset)
            let slot = slots[index(wanted)]
            if slot.buffer >= 0, slot.sequence == wanted { return slot }
        }
        return nil
    }

    /// The payload of a waiting packet, valid until the packet is removed.
    func payload(of slot: Slot) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(buffers[Int(slot.buffer)])[..<Int(slot.length)])
    }

    mutating func remove(_ slot: Slot) {
        let place = index(slot.sequence)
        guard slots[place].buffer >= 0, slots[place].sequence == slot.sequence else { return }
        free.append(slots[place].buffer)
        slots[place].buffer = -1
        count -= 1
    }

    mutating func removeAll() {
        for place in slots.indices where slots[place].buffer >= 0 {
            free.append(slots[place].buffer)
            slots[place].buffer = -1
        }
        count = 0
    }

    private mutating func takeBuffer(_ size: Int) -> Int16 {
        let index: Int
        if let last = free.popLast() {
            index = Int(last)
        } else {
            index = buffers.count
            buffers.append(.allocate(byteCount: 256, alignment: 16))
        }
        if buffers[index].count < size {
            buffers[index].deallocate()
            buffers[index] = .allocate(byteCount: (size + 255) & ~255, alignment: 16)
        }
        return Int16(truncatingIfNeeded: index)
    }
}
