import RTCCore
import RTCWire

/// Packets that leave on one stream together, each behind its length (RFC 4571 section 2), so that one call writes them.
struct FrameBatch {
    struct Frame {
        /// In `bytes`, with the length.
        var range: Range<Int>
        var urgency: Outbox.Urgency
    }

    private(set) var bytes: [UInt8] = []
    private(set) var frames: [Frame] = []

    var isEmpty: Bool { frames.isEmpty }

    /// Takes a copy of a packet, 1...65535 bytes; others can't be framed and are left out.
    mutating func add(_ packet: UnsafeRawBufferPointer, _ urgency: Outbox.Urgency) {
        guard let length = UInt16(exactly: packet.count), length > 0 else { return }
        let start = bytes.count
        bytes.append(UInt8(truncatingIfNeeded: length >> 8))
        bytes.append(UInt8(truncatingIfNeeded: length))
        bytes.append(contentsOf: packet)
        frames.append(Frame(range: start..<bytes.count, urgency: urgency))
    }

    /// Keeps the memory.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        frames.removeAll(keepingCapacity: true)
    }
}
