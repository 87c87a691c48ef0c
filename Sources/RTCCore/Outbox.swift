import RTCWire

/// Where a sans-IO object puts what it wants sent and what it has to say.
///
/// The driver owns one, hands it into every call, empties it after the batch and uses it again, so that nothing is
/// allocated per packet and nobody can forget to drain an object. Datagrams stand in one arena, in order.
package final class Outbox {
    /// One datagram that stands in the arena.
    package struct Datagram {
        package var offset: Int
        package var length: Int
        package var destination: TransportAddress
    }

    /// Room that `reserve` always leaves beyond what it was asked for (an SRTP tag, an SRTCP trailer).
    package static let slack = 64

    package private(set) var datagrams: [Datagram] = []
    /// What happened, in order. Offsets in `.rtp` events point into the buffer that was handed to `receive`.
    package var events: [PeerEvent] = []
    private var arena: UnsafeMutableRawBufferPointer
    private var used = 0

    package init(capacity: Int = 64 * 1024) {
        arena = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { arena.deallocate() }

    package var isEmpty: Bool { datagrams.isEmpty && events.isEmpty }

    /// Memory for the next datagram: at least `capacity + slack` bytes, valid until the next call on this object.
    package func reserve(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
        let needed = used + capacity + Outbox.slack
        if needed > arena.count { grow(to: needed) }
        return UnsafeMutableRawBufferPointer(rebasing: arena[used..<(used + capacity + Outbox.slack)])
    }

    /// Makes the first `length` bytes of the reserved memory a datagram to `destination`.
    package func commit(_ length: Int, to destination: TransportAddress) {
        datagrams.append(Datagram(offset: used, length: length, destination: destination))
        used += (length + 15) & ~15
    }

    /// Appends a copy of `bytes` as one datagram.
    package func append(_ bytes: UnsafeRawBufferPointer, to destination: TransportAddress) {
        let target = reserve(bytes.count)
        target.copyMemory(from: bytes)
        commit(bytes.count, to: destination)
    }

    /// The bytes of a datagram, valid until the next call that changes this object.
    package func bytes(of datagram: Datagram) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena[datagram.offset..<(datagram.offset + datagram.length)])
    }

    /// Forgets the datagrams, keeping the memory.
    package func removeDatagrams() {
        datagrams.removeAll(keepingCapacity: true)
        used = 0
    }

    /// Forgets everything, keeping the memory.
    package func removeAll() {
        removeDatagrams()
        events.removeAll(keepingCapacity: true)
    }

    private func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, arena.count * 2), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: arena[..<used]))
        arena.deallocate()
        arena = larger
    }
}
