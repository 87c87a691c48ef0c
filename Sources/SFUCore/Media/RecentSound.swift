import RTCCore
import RTCWire

/// The latest frames of a track of sound: subscribers that lose packets get copies of them in the ones that follow (RFC 2198).
///
/// After its first frame it doesn't allocate.
struct RecentSound {
    /// Frames that are kept, and copies in a packet at most.
    static let depth = CopyDemand.most
    /// Longer frames aren't kept, bytes: 192 kbit/s in packets of 20 ms.
    static let longest = 480
    /// What copies and their headers take at most, bytes.
    static let room = depth * (longest + RedundantAudio.headerLength) + 1
    /// A packet doesn't get longer than that by copies, bytes.
    private static let longestPayload = 1_150

    private struct Frame {
        var sequence: Int64
        var timestamp: UInt32
        var length: Int
    }

    /// The latest one first.
    private var frames: (Frame?, Frame?)
    /// Those of even numbers first.
    private var bytes: [UInt8] = []

    /// Keeps a frame that the next packets may carry a copy of.
    mutating func keep(_ packet: borrowing SourcePacket) {
        if let latest = frames.0, packet.sequence <= latest.sequence { return }
        let payload = packet.payload
        guard packet.format == .primary, !payload.isEmpty, payload.count <= Self.longest else {
            return forget()
        }
        if bytes.isEmpty { bytes = [UInt8](repeating: 0, count: Self.depth * Self.longest) }
        let start = Self.start(of: packet.sequence)
        bytes.withUnsafeMutableBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: bytes[start..<(start + payload.count)]).copyMemory(from: payload)
        }
        let before = frames.0.flatMap { $0.sequence == packet.sequence - 1 ? $0 : nil }
        frames = (Frame(sequence: packet.sequence, timestamp: packet.timestamp, length: payload.count), before)
    }

    /// What follows is no continuation.
    mutating func forget() { frames = (nil, nil) }

    /// Writes what makes a packet one with copies: their headers, its own, and the copies; its payload follows. Gives the
    /// length, 0 where there is nothing to copy, or no room.
    ///
    /// - Parameters:
    ///   - most: copies at most.
    ///   - payloadType: of the frames, as the subscriber knows them.
    ///   - room: of at least `room` bytes.
    func write(
        before packet: borrowing SourcePacket, most: Int, payloadType: UInt8, into room: UnsafeMutableRawBufferPointer
    ) -> Int {
        // Receivers count the packets back from the present one: a copy belongs to the number just before.
        guard most > 0, let last = frames.0, last.sequence == packet.sequence - 1, fits(last, packet, beside: 0)
        else { return 0 }
        var copies = (oldest: last, newest: last)
        var isTwo = false
        if most > 1, let other = frames.1, fits(other, packet, beside: last.length + 4) {
            (copies.oldest, isTwo) = (other, true)
        }
        var offset = 0
        if isTwo { offset += Self.writeHeader(copies.oldest, packet, payloadType, into: room, at: offset) }
        offset += Self.writeHeader(copies.newest, packet, payloadType, into: room, at: offset)
        room[offset] = payloadType & 0x7f
        offset += 1
        if isTwo { offset += copy(copies.oldest, into: room, at: offset) }
        offset += copy(copies.newest, into: room, at: offset)
        return offset
    }

    private func fits(_ frame: Frame, _ packet: borrowing SourcePacket, beside: Int) -> Bool {
        packet.timestamp &- frame.timestamp <= UInt32(RedundantAudio.maximumOffset)
            && packet.payload.count + frame.length + 5 + beside <= Self.longestPayload
    }

    private static func writeHeader(
        _ frame: Frame, _ packet: borrowing SourcePacket, _ payloadType: UInt8,
        into room: UnsafeMutableRawBufferPointer, at offset: Int
    ) -> Int {
        RedundantAudio.writeHeader(
            payloadType: payloadType, age: packet.timestamp &- frame.timestamp, length: frame.length, into: room,
            at: offset)
        return RedundantAudio.headerLength
    }

    private func copy(_ frame: Frame, into room: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        let start = Self.start(of: frame.sequence)
        bytes.withUnsafeBytes { bytes in
            UnsafeMutableRawBufferPointer(rebasing: room[offset..<(offset + frame.length)])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[start..<(start + frame.length)]))
        }
        return frame.length
    }

    private static func start(of sequence: Int64) -> Int { sequence & 1 == 0 ? 0 : longest }
}
