import RTCWire

/// The latest packets of one source, bounded in number and in bytes, from which every consumer's lost packets are
/// made again. It has room for one packet at first, and all its memory from the second on: a source that sends no more
/// than one costs little. Nothing is allocated after that.
struct PacketRing: ~Copyable {
    /// Everything of a packet but its payload.
    struct Entry {
        var sequence: Int64
        var timestamp: UInt32
        var marker: Bool
        var audioLevel: AudioLevel?
        var absCaptureTime: AbsoluteCaptureTime?
        var playoutDelay: PlayoutDelay?
        var videoOrientation: UInt8?
        var videoContentType: UInt8?
        var arrival: Instant
        /// Where the packet's bytes begin in the stream of all bytes that were ever written: opaque extensions in their
        /// order, then the payload.
        fileprivate var position: Int
        fileprivate var dependencyDescriptor: UInt8
        fileprivate var colorSpace: UInt8
        fileprivate var videoTiming: UInt8
        fileprivate var length: Int
    }

    private let slots: Int
    private let fullCapacity: Int
    private var slotMask: Int64 = 0
    private var capacity: Int
    private var memory: UnsafeMutableRawPointer
    private var entries: [Entry?]
    private var written = 0

    /// `packets` is rounded up to a power of two.
    init(packets: Int, bytes: Int) {
        var slots = 1
        while slots < packets { slots *= 2 }
        self.slots = slots
        fullCapacity = bytes
        capacity = min(bytes, PacketRing.firstCapacity)
        entries = [nil]
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Bytes for the first packet: no datagram is larger on most paths.
    private static let firstCapacity = 1500

    /// Bytes that are held now.
    var heldBytes: Int { capacity }

    private var isFull: Bool { capacity == fullCapacity && entries.count == slots }

    /// Takes all the memory that the ring may have; the first packet stays.
    private mutating func grow() {
        let full = UnsafeMutableRawPointer.allocate(byteCount: fullCapacity, alignment: 16)
        full.copyMemory(from: memory, byteCount: min(written, capacity))
        memory.deallocate()
        (memory, capacity) = (full, fullCapacity)
        let first = entries[0]
        slotMask = Int64(slots - 1)
        entries = Array(repeating: nil, count: slots)
        if let first { entries[Int(first.sequence & slotMask)] = first }
    }

    deinit { memory.deallocate() }

    /// Keeps a copy; a packet that is larger than the whole ring is not kept.
    mutating func store(_ packet: borrowing SourcePacket) {
        let opaque = packet.opaque
        let length = opaque.count + packet.payload.count
        guard !packet.payload.isEmpty, length <= fullCapacity else { return }
        if !isFull, written > 0 || length > capacity { grow() }
        // A packet never lies across the end.
        let offset = written % capacity
        if offset + length > capacity { written += capacity - offset }
        var target = memory + written % capacity
        PacketRing.append(opaque.dependencyDescriptor, to: &target)
        PacketRing.append(opaque.colorSpace, to: &target)
        PacketRing.append(opaque.videoTiming, to: &target)
        PacketRing.append(packet.payload, to: &target)
        entries[Int(packet.sequence & slotMask)] = Entry(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
            audioLevel: packet.extensions.audioLevel, absCaptureTime: packet.extensions.absCaptureTime,
            playoutDelay: packet.extensions.playoutDelay, videoOrientation: packet.extensions.videoOrientation,
            videoContentType: packet.extensions.videoContentType, arrival: packet.arrival, position: written,
            dependencyDescriptor: UInt8(clamping: opaque.dependencyDescriptor.count),
            colorSpace: UInt8(clamping: opaque.colorSpace.count),
            videoTiming: UInt8(clamping: opaque.videoTiming.count), length: length)
        written += length
    }

    private static func append(_ bytes: UnsafeRawBufferPointer, to target: inout UnsafeMutableRawPointer) {
        guard let source = bytes.baseAddress, !bytes.isEmpty else { return }
        target.copyMemory(from: source, byteCount: bytes.count)
        target += bytes.count
    }

    /// Whether the packet with that number is still whole.
    func has(_ sequence: Int64) -> Bool {
        guard let entry = entries[Int(sequence & slotMask)] else { return false }
        return entry.sequence == sequence && entry.position + capacity >= written
    }

    /// The packet with that number, where it is still whole. Its bytes are valid until the next `store`.
    func find(_ sequence: Int64, codec: MediaCodec) -> SourcePacket? {
        guard has(sequence), let entry = entries[Int(sequence & slotMask)] else { return nil }
        var extensions = RTPExtensions()
        extensions.audioLevel = entry.audioLevel
        extensions.absCaptureTime = entry.absCaptureTime
        extensions.playoutDelay = entry.playoutDelay
        extensions.videoOrientation = entry.videoOrientation
        extensions.videoContentType = entry.videoContentType
        var bytes = UnsafeRawBufferPointer(start: memory + entry.position % capacity, count: entry.length)
        func take(_ count: UInt8) -> UnsafeRawBufferPointer {
            defer { bytes = UnsafeRawBufferPointer(rebasing: bytes[Int(count)...]) }
            return UnsafeRawBufferPointer(rebasing: bytes[..<Int(count)])
        }
        var opaque = RTPOpaqueElements()
        opaque.dependencyDescriptor = take(entry.dependencyDescriptor)
        opaque.colorSpace = take(entry.colorSpace)
        opaque.videoTiming = take(entry.videoTiming)
        return SourcePacket(
            sequence: entry.sequence, timestamp: entry.timestamp, marker: entry.marker, extensions: extensions,
            opaque: opaque, payload: bytes, arrival: entry.arrival, codec: codec)
    }
}
