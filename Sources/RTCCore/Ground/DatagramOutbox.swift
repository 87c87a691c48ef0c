import RTCWire

/// Where a sans-IO object puts what it wants sent.
///
/// The driver owns one, hands it into every call, empties it after the batch and uses it again, so that nothing is
/// allocated per packet and nobody can forget to drain an object. Datagrams stand in one arena, in order.
package class DatagramOutbox {
    /// One datagram that stands in the arena.
    package struct Datagram {
        package var offset: Int
        package var length: Int
        package var destination: TransportAddress
        /// Which way it takes: 0 the socket itself, others what the driver has given numbers to (a relay).
        package var path: UInt8 = 0
        package var urgency = Urgency.control
    }

    /// What leaves first of a batch. Audio doesn't wait behind a key frame, nor new packets behind repeated ones.
    package enum Urgency: UInt8, Sendable, CaseIterable {
        /// Checks, handshakes, RTCP and audio.
        case control
        /// Video, and messages of data channels.
        case media
        /// Video that is sent again, and probes.
        case repetition
    }

    /// Room before each datagram, for a header that its way adds.
    private static let headroom = 16

    /// Room that `reserve` always leaves beyond what it was asked for (an SRTP tag, an SRTCP trailer).
    package static let slack = 64

    package private(set) final var datagrams: [Datagram] = []
    /// Takes turns with `datagrams` when these are put in order.
    private var ordered: [Datagram] = []
    /// A datagram stands behind a less urgent one.
    private var isUnordered = false
    private var arena: UnsafeMutableRawBufferPointer
    private var used = 0

    package init(capacity: Int = 64 * 1024) {
        arena = .allocate(byteCount: capacity, alignment: 16)
    }

    deinit { arena.deallocate() }

    /// Memory for the next datagram: at least `capacity + slack` bytes, valid until the next call on this object.
    package final func reserve(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
        let start = used + DatagramOutbox.headroom
        let needed = start + capacity + DatagramOutbox.slack
        if needed > arena.count { grow(to: needed) }
        return UnsafeMutableRawBufferPointer(rebasing: arena[start..<needed])
    }

    /// Makes the first `length` bytes of the reserved memory a datagram to `destination`.
    package final func commit(
        _ length: Int, to destination: TransportAddress, path: UInt8 = 0, urgency: Urgency = .control
    ) {
        let start = used + DatagramOutbox.headroom
        if let last = datagrams.last, last.urgency.rawValue > urgency.rawValue { isUnordered = true }
        datagrams.append(
            Datagram(offset: start, length: length, destination: destination, path: path, urgency: urgency))
        used = start + (length + 15) & ~15
    }

    /// Appends a copy of `bytes` as one datagram.
    package final func append(_ bytes: UnsafeRawBufferPointer, to destination: TransportAddress, path: UInt8 = 0) {
        let target = reserve(bytes.count)
        target.copyMemory(from: bytes)
        commit(bytes.count, to: destination, path: path)
    }

    /// Says which way the datagrams from `first` on take.
    package final func route(from first: Int, path: UInt8) {
        for index in first..<max(first, datagrams.count) { datagrams[index].path = path }
    }

    /// Says how urgent the datagrams from `first` on are.
    package final func setUrgency(_ urgency: Urgency, from first: Int) {
        for index in first..<max(first, datagrams.count) { datagrams[index].urgency = urgency }
        isUnordered = true
    }

    /// Puts what is more urgent before what is less; within an urgency the order stays.
    package final func putInOrder() {
        guard isUnordered else { return }
        isUnordered = false
        ordered.removeAll(keepingCapacity: true)
        for urgency in Urgency.allCases {
            for datagram in datagrams where datagram.urgency == urgency { ordered.append(datagram) }
        }
        swap(&datagrams, &ordered)
    }

    /// The end of the datagrams from `start` on that are as urgent as it.
    package final func endOfUrgency(from start: Int) -> Int {
        var end = start + 1
        while end < datagrams.count, datagrams[end].urgency == datagrams[start].urgency { end += 1 }
        return end
    }

    /// Puts a header of four bytes before a datagram, in place, and sends it elsewhere.
    ///
    /// - Parameter isPadded: up to a multiple of four bytes.
    package final func frame(
        _ index: Int, header: UInt32, isPadded: Bool, to destination: TransportAddress, path: UInt8
    ) {
        let start = datagrams[index].offset - 4
        var end = start + 4 + datagrams[index].length
        arena.storeBytes(of: header.bigEndian, toByteOffset: start, as: UInt32.self)
        // Datagrams begin at multiples of sixteen: the next one is not reached.
        while isPadded, end & 3 != 0 {
            arena[end] = 0
            end += 1
        }
        datagrams[index] = Datagram(
            offset: start, length: end - start, destination: destination, path: path,
            urgency: datagrams[index].urgency)
    }

    /// Takes a datagram out; its place stays, empty, until `removeDropped`.
    package final func drop(_ index: Int) { datagrams[index].length = 0 }

    package final func removeDropped() { datagrams.removeAll { $0.length == 0 } }

    /// The bytes of a datagram, valid until the next call that changes this object.
    package final func bytes(of datagram: Datagram) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(rebasing: arena[datagram.offset..<(datagram.offset + datagram.length)])
    }

    /// Forgets the datagrams, keeping the memory.
    package final func removeDatagrams() {
        datagrams.removeAll(keepingCapacity: true)
        isUnordered = false
        used = 0
    }

    private final func grow(to needed: Int) {
        let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: max(needed, arena.count * 2), alignment: 16)
        larger.copyMemory(from: UnsafeRawBufferPointer(rebasing: arena[..<used]))
        arena.deallocate()
        arena = larger
    }
}
