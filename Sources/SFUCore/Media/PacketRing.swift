import RTCWire

/// The latest packets of one source, bounded in number and in bytes, from which every consumer's lost packets are
/// made again. It has room for one packet at first, and grows while a packet would be lost from it that is younger than two
/// seconds: what a slow source costs is little. Of a steady source, nothing is allocated any more.
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

    /// Powers of two.
    private let maximumSlots: Int
    private let maximumCapacity: Int
    private var slotMask: Int64 = 0
    private var capacity: Int
    private var memory: UnsafeMutableRawPointer
    private var entries: [Entry?]
    private var written = 0
    /// When the packet came that stands at the beginning of the memory.
    private var lapStart = Instant.zero

    /// `packets` is rounded up to a power of two.
    init(packets: Int, bytes: Int) {
        var slots = 1
        while slots < packets { slots *= 2 }
        maximumSlots = slots
        maximumCapacity = bytes
        capacity = min(bytes, PacketRing.firstCapacity)
        entries = [nil]
        memory = .allocate(byteCount: capacity, alignment: 16)
    }

    /// Bytes for the first packet: no datagram is larger on most paths.
    private static let firstCapacity = 1500
    /// Bytes that the memory grows by at the least.
    private static let smallestStep = 16 * 1024
    /// A packet that is younger is not given up for want of space, unless the ring is as large as it may be.
    private static let retention = Interval.seconds(2)

    /// Bytes that are held now.
    var heldBytes: Int { capacity }

    deinit { memory.deallocate() }

    /// Keeps a copy; a packet that is larger than the whole ring is not kept.
    mutating func store(_ packet: borrowing SourcePacket) {
        let opaque = packet.opaque
        let length = opaque.count + packet.payload.count
        guard !packet.payload.isEmpty, length <= maximumCapacity else { return }
        makeRoom(for: packet.sequence, length, now: packet.arrival)
        if written % capacity == 0 { lapStart = packet.arrival }
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

    /// Brings the end of what is written to where the packet fits, and grows where it would take a young one's place.
    private mutating func makeRoom(for sequence: Int64, _ length: Int, now: Instant) {
        while entries.count < maximumSlots, let old = entries[Int(sequence & slotMask)], old.sequence < sequence,
            now - old.arrival < PacketRing.retention
        {
            growSlots()
        }
        // A packet never lies across the end.
        let offset = written % capacity
        guard offset + length > capacity || (offset == 0 && written > 0) else { return }
        if capacity < maximumCapacity, length > capacity || now - lapStart < PacketRing.retention {
            growMemory(length)
        }
        let end = written % capacity
        if end + length > capacity { written += capacity - end }
    }

    private mutating func growSlots() {
        let old = entries
        entries = Array(repeating: nil, count: 2 * old.count)
        slotMask = Int64(entries.count - 1)
        for case let entry? in old { entries[Int(entry.sequence & slotMask)] = entry }
    }

    /// Moves what is whole to the beginning of a larger memory.
    private mutating func growMemory(_ length: Int) {
        let larger = min(maximumCapacity, capacity + max(capacity / 4, PacketRing.smallestStep, length))
        let moved = UnsafeMutableRawPointer.allocate(byteCount: larger, alignment: 16)
        let begin = max(0, written - capacity)
        for index in entries.indices {
            guard var entry = entries[index] else { continue }
            guard entry.position >= begin else {
                entries[index] = nil
                continue
            }
            (moved + entry.position - begin).copyMemory(
                from: memory + entry.position % capacity, byteCount: entry.length)
            entry.position -= begin
            lapStart = min(lapStart, entry.arrival)
            entries[index] = entry
        }
        memory.deallocate()
        written -= begin
        (memory, capacity) = (moved, larger)
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
