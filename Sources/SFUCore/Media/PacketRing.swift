import RTCWire

/// The latest packets of one source, bounded in number and in bytes, from which every consumer's lost packets are
/// made again. Nothing is allocated after `init`.
final class PacketRing {
    /// Everything of a packet but its payload.
    struct Entry {
        var sequence: Int64
        var timestamp: UInt32
        var marker: Bool
        var audioLevel: AudioLevel?
        var absCaptureTime: AbsoluteCaptureTime?
        var playoutDelay: PlayoutDelay?
        var videoOrientation: UInt8?
        var arrival: Instant
        /// Where the payload begins in the stream of all bytes that were ever written.
        fileprivate var position: Int
        fileprivate var length: Int
    }

    private let slotMask: Int64
    private let capacity: Int
    private let memory: UnsafeMutableRawPointer
    private var entries: [Entry?]
    private var written = 0

    /// `packets` is rounded up to a power of two.
    init(packets: Int, bytes: Int) {
        var slots = 1
        while slots < packets { slots *= 2 }
        slotMask = Int64(slots - 1)
        capacity = bytes
        entries = Array(repeating: nil, count: slots)
        memory = .allocate(byteCount: bytes, alignment: 16)
    }

    deinit { memory.deallocate() }

    /// Keeps a copy; a packet that is larger than the whole ring is not kept.
    func store(_ packet: SourcePacket) {
        let length = packet.payload.count
        guard length > 0, length <= capacity, let source = packet.payload.baseAddress else { return }
        // A payload never lies across the end.
        let offset = written % capacity
        if offset + length > capacity { written += capacity - offset }
        (memory + written % capacity).copyMemory(from: source, byteCount: length)
        entries[Int(packet.sequence & slotMask)] = Entry(
            sequence: packet.sequence, timestamp: packet.timestamp, marker: packet.marker,
            audioLevel: packet.extensions.audioLevel, absCaptureTime: packet.extensions.absCaptureTime,
            playoutDelay: packet.extensions.playoutDelay, videoOrientation: packet.extensions.videoOrientation,
            arrival: packet.arrival, position: written, length: length)
        written += length
    }

    /// The packet with that number, where it is still whole. Its payload is valid until the next `store`.
    func find(_ sequence: Int64, codec: MediaCodec) -> SourcePacket? {
        guard let entry = entries[Int(sequence & slotMask)], entry.sequence == sequence,
            entry.position + capacity >= written
        else { return nil }
        var extensions = RTPExtensions()
        extensions.audioLevel = entry.audioLevel
        extensions.absCaptureTime = entry.absCaptureTime
        extensions.playoutDelay = entry.playoutDelay
        extensions.videoOrientation = entry.videoOrientation
        return SourcePacket(
            sequence: entry.sequence, timestamp: entry.timestamp, marker: entry.marker, extensions: extensions,
            payload: UnsafeRawBufferPointer(start: memory + entry.position % capacity, count: entry.length),
            arrival: entry.arrival, codec: codec)
    }
}
