/// Reads a RIFF/WAVE file front to back as 16-bit PCM of one or two channels, at the file's own rate.
struct WAVReader: ~Copyable {
    let format: WAVFormat
    /// Channels delivered: as in the file, but the average of all where it has more than two.
    let channels: Int
    /// Whether the file ended before its header said.
    private(set) var isTruncated = false

    private var file: FileReader
    private let dataOffset: Int
    /// Bytes of sound; nil where the header leaves it open, as a pipe's does.
    private let dataSize: Int?
    private var position = 0
    private var bytes: [UInt8] = []

    init(file source: consuming FileReader) throws(MediaError) {
        var reader = source
        let header = try Self.header(&reader)
        self.init(reader, header.format, offset: header.offset, size: header.size)
    }

    /// Nothing throws once a property has its value: Swift 6.2 ends such a value wrongly.
    private init(_ file: consuming FileReader, _ format: WAVFormat, offset: Int, size: Int?) {
        self.format = format
        channels = format.channels <= 2 ? format.channels : 1
        dataOffset = offset
        dataSize = size
        self.file = file
    }

    /// Fills `samples` (a multiple of ``channels``) and returns the samples per channel read; fewer at the end only.
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) throws(MediaError) -> Int {
        let block = format.blockSize
        var wanted = samples.count / channels
        if let dataSize { wanted = min(wanted, (dataSize - position) / block) }
        guard wanted > 0 else { return 0 }
        if bytes.count < wanted * block { bytes = [UInt8](repeating: 0, count: wanted * block) }
        let got = try fill(wanted * block)
        position += got
        let count = got / block
        if count < wanted, dataSize != nil { isTruncated = true }
        bytes.withUnsafeBytes { source in
            format.convert(
                UnsafeRawBufferPointer(rebasing: source[..<(count * block)]), to: samples, channels: channels)
        }
        return count
    }

    /// Goes back to the first sample.
    mutating func rewind() throws(MediaError) {
        try file.seek(to: dataOffset)
        position = 0
    }

    private mutating func fill(_ count: Int) throws(MediaError) -> Int {
        var got = 0
        var failure: MediaError?
        bytes.withUnsafeMutableBytes { target in
            let part = UnsafeMutableRawBufferPointer(rebasing: target[..<count])
            do throws(MediaError) { got = try file.read(into: part) } catch { failure = error }
        }
        if let failure { throw failure }
        return got
    }

    /// Walks the chunks up to the beginning of the sound.
    private static func header(
        _ file: inout FileReader
    ) throws(MediaError) -> (format: WAVFormat, offset: Int, size: Int?) {
        let name = file.name
        let riff = try file.read(12)
        guard riff.count == 12, riff[0..<4].elementsEqual("RIFF".utf8), riff[8..<12].elementsEqual("WAVE".utf8) else {
            throw MediaError(.unsupported, name, "is not a WAV file", remedy: WAVFormat.convert)
        }
        var offset = 12
        var format: WAVFormat?
        // A file has a handful of chunks; the bound stops a crafted one from keeping us busy.
        for _ in 0..<1_000 {
            let head = try file.read(8)
            guard head.count == 8 else { break }
            offset += 8
            let size = Int(head.littleEndian32(4))
            if head[0..<4].elementsEqual("data".utf8) {
                guard let format else {
                    throw MediaError(.corrupt, name, "its sound comes before its format", remedy: WAVFormat.convert)
                }
                return (format, offset, size == 0 || size >= 0xffff_fff0 ? nil : size)
            }
            let padded = size + size & 1
            if head[0..<4].elementsEqual("fmt ".utf8) {
                let chunk = try file.read(min(padded, 64))
                format = try WAVFormat(chunk: chunk, file: name)
                guard try file.skip(max(0, padded - 64)) else { break }
            } else {
                guard try file.skip(padded) else { break }
            }
            offset += padded
        }
        throw MediaError(.corrupt, name, "ends before its sound begins", remedy: "copy or record the file again")
    }
}

extension WAVFormat {
    /// Converts whole blocks to 16 bits and to `channels` channels.
    func convert(_ bytes: UnsafeRawBufferPointer, to samples: UnsafeMutableBufferPointer<Int16>, channels: Int) {
        let count = min(bytes.count / blockSize, samples.count / max(1, channels))
        if channels == self.channels {
            for index in 0..<(count * channels) { samples[index] = sample(bytes, at: index * encoding.byteCount) }
            return
        }
        for index in 0..<count {
            var sum: Int32 = 0
            for channel in 0..<self.channels {
                sum += Int32(sample(bytes, at: index * blockSize + channel * encoding.byteCount))
            }
            let mean = Int16(clamping: sum / Int32(self.channels))
            for channel in 0..<channels { samples[index * channels + channel] = mean }
        }
    }

    @inline(__always)
    private func sample(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> Int16 {
        switch encoding {
        case .int16: return Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int16.self))
        case .int24: return Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 1, as: Int16.self))
        case .int32: return Int16(littleEndian: bytes.loadUnaligned(fromByteOffset: offset + 2, as: Int16.self))
        case .float32:
            let bits = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
            let value = Float(bitPattern: bits)
            // NaN compares false with everything, so it has to go first.
            return value.isNaN ? 0 : Int16(min(max(value, -1), 1) * 32_767)
        }
    }
}
