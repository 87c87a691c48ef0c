import RTCWire

/// Bytes of hexadecimal text; blanks and line ends are passed over.
func hex(_ text: String) -> [UInt8] {
    let digits = text.compactMap { $0.hexDigitValue }
    return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}

/// Lends `bytes` as a span, whose end is the end of the memory.
func withSpan<R, E: Error>(_ bytes: [UInt8], _ body: (RawSpan) throws(E) -> R) throws(E) -> R {
    try body(bytes.span.bytes)
}

/// What `body` writes into a buffer of `capacity` bytes that were 0xAA before.
func written(_ capacity: Int = 2048, _ body: (UnsafeMutableRawBufferPointer) -> Int) -> [UInt8] {
    var memory = [UInt8](repeating: 0xaa, count: capacity)
    let length = memory.withUnsafeMutableBytes { body($0) }
    return Array(memory.prefix(length))
}

/// SplitMix64: every run of a test draws the same numbers.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ z >> 30) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ z >> 27) &* 0x94d0_49bb_1331_11eb
        return z ^ z >> 31
    }

    mutating func bytes(_ count: Int) -> [UInt8] { (0..<count).map { _ in .random(in: 0...255, using: &self) } }
}
