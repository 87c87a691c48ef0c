/// Places in the head of a Matroska file that are written again while it grows, so that it is true at any moment: how
/// long it is, which tracks have anything in them, how large their pictures are.
///
/// A track without frames stands there as void (RFC 8794 section 11.3.4), with its own bytes behind that element's head.
struct MatroskaHeader {
    /// Bytes of the head of a void element that has a size of eight bytes.
    private static let voidHead = 9

    private enum ID {
        static let segment: UInt32 = 0x1853_8067, info: UInt32 = 0x1549_a966, tracks: UInt32 = 0x1654_ae6b
        static let void: UInt32 = 0xec, duration: UInt32 = 0x4489, entry: UInt32 = 0xae, video: UInt32 = 0xe0
        static let widths: [UInt32] = [0xb0, 0x54b0], heights: [UInt32] = [0xba, 0x54ba]
    }

    /// Bytes and where they go.
    struct Patch: Equatable {
        var offset: Int
        var bytes: [UInt8]
    }

    private struct Entry {
        var start: Int
        var head: [UInt8]
        var length: Int
        /// Places of two bytes each.
        var widths: [Int] = []
        var heights: [Int] = []
    }

    private var entries: [Entry] = []
    private var durationOffset: Int?

    /// Finds the places in a file's first bytes.
    init(parsing bytes: [UInt8]) {
        let top = EBMLElement.sequence(in: bytes, 0..<bytes.count)
        guard let segment = top.first(where: { $0.id == ID.segment }) else { return }
        for element in segment.children(in: bytes) {
            if element.id == ID.info { durationOffset = Self.duration(in: element, bytes) }
            if element.id == ID.tracks {
                entries = element.children(in: bytes).filter { $0.id == ID.entry }.map { Self.entry($0, bytes) }
            }
        }
    }

    /// How many tracks the file has.
    var trackCount: Int { entries.count }

    /// The duration stands where eleven bytes are kept free for it: id, size, a double.
    private static func duration(in info: EBMLElement, _ bytes: [UInt8]) -> Int? {
        info.children(in: bytes).first {
            let length = $0.data.upperBound - $0.start
            return length == 11 && ($0.id == ID.void || $0.id == ID.duration)
        }?.start
    }

    private static func entry(_ element: EBMLElement, _ bytes: [UInt8]) -> Entry {
        let end = element.data.upperBound
        var result = Entry(
            start: element.start, head: Array(bytes[element.start..<min(end, element.start + voidHead)]),
            length: end - element.start)
        for video in element.children(in: bytes) where video.id == ID.video {
            for size in video.children(in: bytes) where size.data.count == 2 {
                if ID.widths.contains(size.id) { result.widths.append(size.data.lowerBound) }
                if ID.heights.contains(size.id) { result.heights.append(size.data.lowerBound) }
            }
        }
        return result
    }

    // MARK: Patches

    /// Makes a track void.
    func hiding(_ track: Int) -> [Patch] {
        guard entries.indices.contains(track), entries[track].length > Self.voidHead else { return [] }
        let entry = entries[track]
        let size = UInt64(entry.length - Self.voidHead) | 1 << 56
        return [Patch(offset: entry.start, bytes: [0xec] + Self.bigEndian(size))]
    }

    /// Makes a track visible.
    func showing(_ track: Int) -> [Patch] {
        guard entries.indices.contains(track) else { return [] }
        return [Patch(offset: entries[track].start, bytes: entries[track].head)]
    }

    /// Says how large a track's pictures are.
    func sizing(_ track: Int, width: Int, height: Int) -> [Patch] {
        guard entries.indices.contains(track), width > 0, height > 0 else { return [] }
        let bytes = { (value: Int) in [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)] }
        return entries[track].widths.map { Patch(offset: $0, bytes: bytes(width)) }
            + entries[track].heights.map { Patch(offset: $0, bytes: bytes(height)) }
    }

    /// Says how long the file is.
    func lasting(milliseconds: Int64) -> [Patch] {
        guard let durationOffset else { return [] }
        let value = Self.bigEndian(Double(milliseconds).bitPattern)
        return [Patch(offset: durationOffset, bytes: [0x44, 0x89, 0x88] + value)]
    }

    private static func bigEndian(_ value: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: value >> UInt64(56 - 8 * $0)) }
    }
}
