import RTCWire

/// One frame while its packets come in.
///
/// Payloads stand in the order of their sequence numbers all the time: a packet that comes late is put between the
/// others, so that in the usual case each byte is copied once, and a whole frame is ready for the decoder as it lies.
final class FrameAssembly {
    struct Chunk {
        var sequence: Int64
        var length: Int
    }

    private(set) var timestamp: UInt32 = 0
    /// Sorted by sequence number.
    private(set) var chunks: [Chunk] = []
    /// Bytes of payload so far.
    private(set) var length = 0
    /// Of the packet that begins the frame.
    private(set) var descriptor = VP8PayloadDescriptor()
    private(set) var isKeyFrame = false
    private(set) var firstArrival = Instant.zero
    private(set) var lastArrival = Instant.zero
    /// A packet of it was sent again, or came after it had been asked for.
    private(set) var isRepaired = false
    /// Sequence numbers of the packet that begins the frame, and of the one with the marker.
    private(set) var start: Int64?
    private(set) var end: Int64?
    private var memory: UnsafeMutableRawBufferPointer?

    deinit { memory?.deallocate() }

    func begin(_ timestamp: UInt32, arrival: Instant, memory: UnsafeMutableRawBufferPointer) {
        self.timestamp = timestamp
        self.memory?.deallocate()
        self.memory = memory
        chunks.removeAll(keepingCapacity: true)
        length = 0
        isKeyFrame = false
        start = nil
        end = nil
        firstArrival = arrival
        lastArrival = arrival
        isRepaired = false
    }

    /// Gives the memory away.
    func takeMemory() -> UnsafeMutableRawBufferPointer? {
        defer { memory = nil }
        return memory
    }

    var firstSequence: Int64 { chunks.first?.sequence ?? .max }
    var lastSequence: Int64 { chunks.last?.sequence ?? .min }

    /// Every packet from the first to the one with the marker is here.
    var isComplete: Bool {
        guard let start, let end else { return false }
        return firstSequence == start && lastSequence == end && Int64(chunks.count) == end &- start &+ 1
    }

    /// A packet between those present is missing, or the beginning.
    var hasHole: Bool { start != firstSequence || lastSequence &- firstSequence &+ 1 != Int64(chunks.count) }

    /// Puts a packet in; false for one that is here already.
    func insert(
        _ payload: UnsafeRawBufferPointer, _ descriptor: VP8PayloadDescriptor, sequence: Int64, marker: Bool,
        isRepaired: Bool = false, arrival: Instant
    ) -> Bool {
        var index = chunks.count
        var behind = 0
        while index > 0, chunks[index - 1].sequence >= sequence {
            if chunks[index - 1].sequence == sequence { return false }
            index -= 1
            behind += chunks[index].length
        }
        put(payload, behind: behind)
        chunks.insert(Chunk(sequence: sequence, length: payload.count), at: index)
        lastArrival = max(lastArrival, arrival)
        if isRepaired { self.isRepaired = true }
        if marker { end = max(end ?? sequence, sequence) }
        if descriptor.startsFrame, sequence <= start ?? .max {
            start = sequence
            self.descriptor = descriptor
            isKeyFrame = payload.first.map { $0 & 1 == 0 } ?? false
        }
        return true
    }

    /// Copies a payload in front of the last `behind` bytes.
    private func put(_ payload: UnsafeRawBufferPointer, behind: Int) {
        let needed = length + payload.count
        if needed > memory?.count ?? 0 { grow(to: needed) }
        guard let memory, let base = memory.baseAddress else { return }
        let place = base + (length - behind)
        if behind > 0 { (place + payload.count).copyMemory(from: place, byteCount: behind) }
        if let source = payload.baseAddress { place.copyMemory(from: source, byteCount: payload.count) }
        length = needed
    }

    private func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(
            byteCount: max(needed, 2 * (memory?.count ?? 0)), alignment: 16)
        if let memory {
            larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: memory[..<length]))
            memory.deallocate()
        }
        memory = larger
    }
}
