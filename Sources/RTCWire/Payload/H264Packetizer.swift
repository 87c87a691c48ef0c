/// Cuts an H.264 access unit with start codes (annex B) into RTP payloads for packetization mode 1, RFC 6184 section 5:
/// small NAL units share a packet (STAP-A), those that don't fit are cut (FU-A).
///
/// Borrows the access unit, which must outlive it.
package struct H264Packetizer {
    /// One packet's payload, written.
    package struct Packet: Hashable, Sendable {
        /// Bytes written.
        package var count: Int
        /// Its packet has the marker bit set.
        package var isLast: Bool
    }

    private let unit: UnsafeRawBufferPointer
    private let room: Int
    /// NAL units without their start codes; none is empty.
    private var units: [Range<Int>] = []
    private var index = 0
    /// Bytes of the unit at `index` that are sent, its header included; 0 before the first.
    private var sent = 0

    /// Least room that makes sense: a fragment's two headers and a byte.
    private static let leastRoom = 16

    /// - Parameter maximumPayload: bytes of RTP payload a packet may have.
    package init(_ accessUnit: UnsafeRawBufferPointer, maximumPayload: Int) {
        unit = accessUnit
        room = max(Self.leastRoom, maximumPayload)
        units = Self.units(of: accessUnit)
    }

    /// Writes the next packet's payload; nil after the last.
    ///
    /// - Parameter buffer: holds `maximumPayload` bytes.
    package mutating func next(into buffer: UnsafeMutableRawBufferPointer) -> Packet? {
        guard index < units.count else { return nil }
        let count: Int
        if sent > 0 || units[index].count > room {
            count = writeFragment(into: buffer)
        } else if index + 1 < units.count, 1 + 4 + units[index].count + units[index + 1].count <= room {
            count = writeAggregate(into: buffer)
        } else {
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: unit[units[index]]))
            count = units[index].count
            index += 1
        }
        return Packet(count: count, isLast: index == units.count)
    }

    /// ```
    /// |F|NRI| 28 |  |S|E|R| type |  bytes behind the unit's header
    /// ```
    private mutating func writeFragment(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let range = units[index]
        let header = unit[range.lowerBound]
        let isFirst = sent == 0
        if isFirst { sent = 1 }
        // Fragments of near the same size: no packet is needlessly small.
        let rest = range.count - sent
        let fragments = (rest + room - 3) / (room - 2)
        let length = (rest + fragments - 1) / fragments
        let isEnd = length == rest
        buffer[0] = header & 0xe0 | 28
        buffer[1] = (isFirst ? 0x80 : 0) | (isEnd ? 0x40 : 0) | header & 0x1f
        let start = range.lowerBound + sent
        UnsafeMutableRawBufferPointer(rebasing: buffer[2...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: unit[start..<(start + length)]))
        sent += length
        if isEnd {
            sent = 0
            index += 1
        }
        return 2 + length
    }

    /// ```
    /// |F|NRI| 24 |  length (16), unit,  length (16), unit, ...
    /// ```
    private mutating func writeAggregate(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        var (count, importance, forbidden) = (1, UInt8(0), UInt8(0))
        while index < units.count, count + 2 + units[index].count <= room {
            let range = units[index]
            buffer.store(UInt16(range.count), at: count)
            UnsafeMutableRawBufferPointer(rebasing: buffer[(count + 2)...])
                .copyMemory(from: UnsafeRawBufferPointer(rebasing: unit[range]))
            importance = max(importance, unit[range.lowerBound] & 0x60)
            forbidden |= unit[range.lowerBound] & 0x80
            count += 2 + range.count
            index += 1
        }
        buffer[0] = forbidden | importance | 24
        return count
    }

    /// What stands between start codes, 00 00 01; the zeros in front of one belong to none.
    private static func units(of bytes: UnsafeRawBufferPointer) -> [Range<Int>] {
        var result: [Range<Int>] = []
        var start: Int?
        var offset = 0
        func close(_ end: Int) {
            guard var end = start.map({ _ in end }), let first = start else { return }
            while end > first, bytes[end - 1] == 0 { end -= 1 }
            if end > first { result.append(first..<end) }
        }
        while offset + 2 < bytes.count {
            if bytes[offset + 2] > 1 {
                offset += 3
            } else if bytes[offset] == 0, bytes[offset + 1] == 0, bytes[offset + 2] == 1 {
                close(offset)
                offset += 3
                start = offset
            } else {
                offset += 1
            }
        }
        close(bytes.count)
        return result
    }
}
