import RTCCore
import RTCWire

/// Where a `ForwardingRoom` puts what it wants sent and what it has to say.
///
/// The driver owns one, hands it into every call, performs what stands in it, first the events, then the copies, then the ends, and empties
/// it before the next: copies point into the datagram and into the room. It is used again, so that nothing is allocated
/// per packet.
package struct ForwardingOutbox: ~Copyable {
    package private(set) var copies: [ForwardedCopy] = []
    package private(set) var events: [ForwardingEvent] = []
    package private(set) var ends: [FillerEnd] = []
    private var sharedExtensions: [SharedExtensions] = []
    /// Rewritten beginnings of payloads, and descriptors.
    private var arena: UnsafeMutableRawBufferPointer
    private var used = 0

    /// What all copies of a packet have in common beside the payload.
    struct SharedExtensions {
        var extensions: RTPExtensions
        var opaque: RTPOpaqueElements
    }

    package init() {
        arena = .allocate(byteCount: 4096, alignment: 16)
        copies.reserveCapacity(64)
        events.reserveCapacity(16)
        sharedExtensions.reserveCapacity(16)
    }

    deinit { arena.deallocate() }

    package var isEmpty: Bool { copies.isEmpty && events.isEmpty && ends.isEmpty }

    /// Forgets everything, keeping the memory.
    package mutating func removeAll() {
        copies.removeAll(keepingCapacity: true)
        events.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        sharedExtensions.removeAll(keepingCapacity: true)
        used = 0
    }

    // MARK: The room's side

    mutating func append(_ event: ForwardingEvent) { events.append(event) }

    mutating func append(_ end: FillerEnd) { ends.append(end) }

    mutating func append(_ copy: ForwardedCopy) { copies.append(copy) }

    /// Notes what the copies of a packet will share; gives its position.
    mutating func share(_ packet: borrowing SourcePacket) -> Int32 {
        sharedExtensions.append(SharedExtensions(extensions: packet.extensions, opaque: packet.opaque))
        return Int32(sharedExtensions.count - 1)
    }

    /// Memory for what one copy has of its own, valid until the next call.
    ///
    /// - Parameter count: bytes.
    mutating func reserve(_ count: Int = ForwardingOutbox.usual) -> UnsafeMutableRawBufferPointer {
        while used + count > arena.count { grow() }
        return UnsafeMutableRawBufferPointer(rebasing: arena[used..<(used + count)])
    }

    /// Keeps the first `count` bytes of the reserved memory.
    mutating func commit(_ count: Int) -> ForwardedCopy.ArenaRange {
        defer { used += count }
        return ForwardedCopy.ArenaRange(offset: UInt32(used), count: UInt16(count))
    }

    private mutating func grow() {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: arena.count * 2, alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: arena[..<used]))
        arena.deallocate()
        arena = larger
    }

    /// A payload descriptor and a dependency descriptor, or a filler's frame.
    private static let usual = 320

    // MARK: The driver's side

    func bytes(_ range: ForwardedCopy.ArenaRange) -> UnsafeRawBufferPointer {
        let start = Int(range.offset)
        return UnsafeRawBufferPointer(rebasing: arena[start..<(start + Int(range.count))])
    }

    func shared(_ index: Int32) -> SharedExtensions { sharedExtensions[Int(index)] }
}
