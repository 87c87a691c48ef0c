import RTCWire

/// The frames of a superframe (VP9 bitstream specification, annex B): spatial layers, or a hidden frame before a shown one.
enum VP9Superframe {
    /// Where each frame lies; the whole payload where it has no index.
    static func frames(of payload: UnsafeRawBufferPointer) throws(CodecError) -> [Range<Int>] {
        guard let marker = payload.last, marker & 0xe0 == 0xc0 else { return [0..<payload.count] }
        let (count, width) = (Int(marker & 7) + 1, Int(marker >> 3 & 3) + 1)
        let index = payload.count - (2 + count * width)
        guard index > 0, payload[index] == marker else { return [0..<payload.count] }
        var frames: [Range<Int>] = []
        var start = 0
        for frame in 0..<count {
            let place = index + 1 + frame * width
            let size = (0..<width).reduce(0) { $0 | Int(payload[place + $1]) << (8 * $1) }
            guard size > 0, size <= index - start else { throw .invalidPayload }
            frames.append(start..<(start + size))
            start += size
        }
        return frames
    }

    /// Appends the index of a superframe of one frame, whose size has four bytes.
    static func appendIndex(ofOne size: Int, to bytes: inout [UInt8]) {
        let marker: UInt8 = 0xc0 | 3 << 3
        bytes.append(marker)
        for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: size >> shift)) }
        bytes.append(marker)
    }
}

/// The beginning of a VP9 frame, as far as it tells the size (VP9 bitstream specification, section 6.2).
struct VP9FrameHeader {
    private(set) var profile = 0
    private(set) var isKeyFrame = false
    /// Nil where the frame takes it over from another.
    private(set) var size: (width: Int, height: Int)?

    /// Nil where it is none.
    init?(_ bytes: UnsafeRawBufferPointer) {
        var bits = BitCursor(bytes)
        guard bits.read(2) == 2 else { return nil }
        let (low, high) = (bits.read(1), bits.read(1))
        profile = Int(high << 1 | low)
        if profile == 3, bits.read(1) != 0 { return nil }
        // An earlier frame is shown again.
        if bits.read(1) == 1 { return }
        isKeyFrame = bits.read(1) == 0
        let isShown = bits.read(1) == 1
        let isResilient = bits.read(1) == 1
        if isKeyFrame { readKeyFrame(&bits) } else { readInter(&bits, isShown: isShown, isResilient: isResilient) }
        if bits.isExhausted { return nil }
    }

    private mutating func readKeyFrame(_ bits: inout BitCursor) {
        bits.skip(24)
        // Other profiles are refused anyway.
        guard profile == 0 else { return }
        if bits.read(3) == 7 { return } else { bits.skip(1) }
        readSize(&bits)
    }

    private mutating func readInter(_ bits: inout BitCursor, isShown: Bool, isResilient: Bool) {
        let isIntraOnly = isShown ? false : bits.read(1) == 1
        if !isResilient { bits.skip(2) }
        guard profile == 0 else { return }
        if isIntraOnly {
            bits.skip(24 + 8)
            return readSize(&bits)
        }
        bits.skip(8 + 3 * 4)
        for _ in 0..<3 where bits.read(1) == 1 { return }
        readSize(&bits)
    }

    private mutating func readSize(_ bits: inout BitCursor) {
        let (width, height) = (Int(bits.read(16)) + 1, Int(bits.read(16)) + 1)
        size = (width, height)
    }
}

/// Bits from the highest on; beyond the end there are zeros.
private struct BitCursor {
    private let bytes: UnsafeRawBufferPointer
    private var place = 0

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    var isExhausted: Bool { place > bytes.count * 8 }

    mutating func read(_ count: Int) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            let bit = place < bytes.count * 8 ? bytes[place / 8] >> UInt8(7 - place % 8) & 1 : 0
            value = value << 1 | UInt32(bit)
            place += 1
        }
        return value
    }

    mutating func skip(_ count: Int) { place += count }
}
