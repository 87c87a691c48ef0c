/// The `fmt ` chunk of a RIFF/WAVE file (Microsoft, "Multiple channel audio data and WAVE files").
///
/// ```
///  0       2       4               8               12      14      16      18      20              24
///  +-------+-------+---------------+---------------+-------+-------+-------+-------+---------------+----------------+
///  | tag   | chan. | samples/s     | bytes/s       | block | bits  | size  | valid | speaker mask  | sub-format GUID|
///  +-------+-------+---------------+---------------+-------+-------+-------+-------+---------------+----------------+
///                                                                  '-- WAVE_FORMAT_EXTENSIBLE (tag 0xFFFE) only ----'
/// ```
struct WAVFormat: Hashable {
    enum Encoding: Hashable {
        case int16, int24, int32, float32

        var byteCount: Int {
            switch self {
            case .int16: 2
            case .int24: 3
            case .int32, .float32: 4
            }
        }
    }

    var encoding: Encoding
    /// 1...64.
    var channels: Int
    /// Hz, 1,000...768,000.
    var sampleRate: Int

    /// Bytes of one sample of all channels.
    var blockSize: Int { channels * encoding.byteCount }

    init(encoding: Encoding, channels: Int, sampleRate: Int) {
        self.encoding = encoding
        self.channels = channels
        self.sampleRate = sampleRate
    }

    /// Reads the chunk's content.
    init(chunk: [UInt8], file: String) throws(MediaError) {
        guard chunk.count >= 16 else {
            throw MediaError(.corrupt, file, "its fmt chunk is too short", remedy: Self.convert)
        }
        var tag = chunk.littleEndian16(0)
        channels = Int(chunk.littleEndian16(2))
        sampleRate = Int(chunk.littleEndian32(4))
        let block = Int(chunk.littleEndian16(12))
        let bits = Int(chunk.littleEndian16(14))
        if tag == 0xfffe {
            guard chunk.count >= 40 else {
                throw MediaError(.corrupt, file, "its extensible fmt chunk is too short", remedy: Self.convert)
            }
            tag = chunk.littleEndian16(24)
        }
        encoding = try Self.encoding(tag: tag, bits: bits, file: file)
        guard (1...64).contains(channels) else {
            throw MediaError(.unsupported, file, "has \(channels) channels", remedy: "use 1 to 64 channels")
        }
        guard (1_000...768_000).contains(sampleRate) else {
            throw MediaError(.unsupported, file, "has \(sampleRate) samples a second", remedy: Self.convert)
        }
        guard block == blockSize else {
            throw MediaError(
                .corrupt, file, "has \(block) bytes a block where \(blockSize) belong", remedy: Self.convert)
        }
    }

    /// What to do with a file of another kind.
    static let convert = "convert it, for example: ffmpeg -i FILE -c:a pcm_s16le new.wav"

    private static func encoding(tag: UInt16, bits: Int, file: String) throws(MediaError) -> Encoding {
        switch (tag, bits) {
        case (1, 16): return .int16
        case (1, 24): return .int24
        case (1, 32): return .int32
        case (3, 32): return .float32
        default:
            throw MediaError(
                .unsupported, file,
                "holds \(name(tag)) of \(bits) bits; only integers of 16, 24, 32 bits and floats of 32 bits are read",
                remedy: convert)
        }
    }

    private static func name(_ tag: UInt16) -> String {
        switch tag {
        case 1: "integers"
        case 2: "ADPCM"
        case 3: "floats"
        case 6: "A-law"
        case 7: "mu-law"
        case 0x55: "MP3"
        default: "format 0x" + String(tag, radix: 16)
        }
    }
}

extension [UInt8] {
    /// The 16-bit little-endian number at `offset`, which the caller has checked.
    func littleEndian16(_ offset: Int) -> UInt16 { UInt16(self[offset]) | UInt16(self[offset + 1]) << 8 }

    /// The 32-bit little-endian number at `offset`, which the caller has checked.
    func littleEndian32(_ offset: Int) -> UInt32 {
        UInt32(littleEndian16(offset)) | UInt32(littleEndian16(offset + 2)) << 16
    }

    mutating func appendLittleEndian(_ value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
    }
}
