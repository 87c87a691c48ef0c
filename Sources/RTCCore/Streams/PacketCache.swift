import RTCWire

/// The latest packets of one stream that we send, for retransmission: a ring of fixed slots by sequence number.
///
/// A stream with RTX keeps plaintext, for each repetition is a new packet; one without keeps what it sent, sealed, for
/// the same SRTP index must never carry different bytes.
final class PacketCache {
    private struct Slot {
        var sequence: UInt16 = 0
        var length = 0
        var stored: Instant = .zero
        var resent: Instant?
    }

    private let mask: Int
    private let slotSize: Int
    private let memory: UnsafeMutableRawPointer
    private var slots: [Slot]

    /// `packets` is rounded up to a power of two, 1...32,768.
    init(packets: Int, slotSize: Int) {
        var capacity = 1
        while capacity < min(max(packets, 1), 32_768) { capacity *= 2 }
        mask = capacity - 1
        self.slotSize = slotSize
        memory = .allocate(byteCount: capacity * slotSize, alignment: 16)
        slots = Array(repeating: Slot(), count: capacity)
    }

    deinit { memory.deallocate() }

    /// Keeps a copy; a packet larger than a slot is not kept.
    func store(_ packet: UnsafeRawBufferPointer, sequence: UInt16, now: Instant) {
        guard packet.count <= slotSize, let source = packet.baseAddress else { return }
        let index = Int(sequence) & mask
        (memory + index * slotSize).copyMemory(from: source, byteCount: packet.count)
        slots[index] = Slot(sequence: sequence, length: packet.count, stored: now, resent: nil)
    }

    /// The packet, where it is still here, no older than `age` and not repeated within `spacing`; marks it as repeated now.
    /// The bytes are valid until the next `store`.
    func take(_ sequence: UInt16, now: Instant, age: Interval, spacing: Interval) -> UnsafeRawBufferPointer? {
        let index = Int(sequence) & mask
        let slot = slots[index]
        guard slot.length > 0, slot.sequence == sequence, now - slot.stored <= age else { return nil }
        if let resent = slot.resent, now - resent < spacing { return nil }
        slots[index].resent = now
        return UnsafeRawBufferPointer(start: memory + index * slotSize, count: slot.length)
    }
}
