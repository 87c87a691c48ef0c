import RTCWire

/// An IVF file of VP8 pictures, read into memory: sources that share one file share its bytes.
///
/// ```
///  0      4      6      8      12     14     16          20         24          28        32
///  +------+------+------+------+------+------+-----------+----------+-----------+---------+
///  | DKIF | vers | head | 4cc  | width|height| rate      | scale    | pictures  | unused  |   header
///  +------+------+------+------+------+------+-----------+----------+-----------+---------+
///  | size        | timestamp in scale/rate seconds       | picture ...                       each picture
///  +-------------+---------------------------------------+--------------------------------
/// ```
public struct IVFFile: Sendable {
    /// Pixels of the first picture.
    public let width: Int
    /// Pixels of the first picture.
    public let height: Int
    /// Pictures a second, from the timestamps.
    public let frameRate: Double
    /// All pictures; their capture time counts from the first picture's.
    public let frames: [EncodedVideoFrame]
    /// Whether the file ended in the middle of a picture, which was left out.
    public let isTruncated: Bool

    /// The largest file that is read.
    private static let sizeLimit = 1 << 29
    /// The largest picture that is believed.
    private static let frameLimit = 1 << 24
    private static let convert = "convert it, for example: ffmpeg -i FILE -an -c:v libvpx -b:v 500k new.ivf"

    /// Reads a file.
    public init(path: String) throws(MediaError) {
        try self.init(file: FileReader(path: path))
    }

    /// Reads an IVF file that lies in memory; `name` stands for it in error messages.
    public init(bytes: [UInt8], name: String) throws(MediaError) {
        try self.init(file: FileReader(bytes: bytes, name: name))
    }

    /// Pictures that are at hand already; the first one must be a key frame.
    init(frames: [EncodedVideoFrame], frameRate: Double) {
        width = frames.first?.width ?? 0
        height = frames.first?.height ?? 0
        self.frameRate = frameRate
        self.frames = frames
        isTruncated = false
    }

    init(file: consuming FileReader) throws(MediaError) {
        var reader = file
        let timebase = try Self.header(&reader)
        var frames: [EncodedVideoFrame] = []
        var total = 0
        var end = Step.end
        while true {
            let step = try Self.frame(&reader, timebase: timebase, after: frames.last, number: frames.count)
            guard case .frame(let frame) = step else {
                end = step
                break
            }
            total += frame.payload.count
            guard total <= Self.sizeLimit else {
                throw MediaError(
                    .unsupported, reader.name, "holds more than 512 MiB",
                    remedy: "cut it, for example with ffmpeg -t 60")
            }
            // An empty picture stands for one that the encoder dropped.
            if !frame.payload.isEmpty { frames.append(frame) }
        }
        guard let first = frames.first, first.isKeyFrame else {
            throw MediaError(.corrupt, reader.name, "doesn't begin with a key frame", remedy: Self.convert)
        }
        width = first.width
        height = first.height
        frameRate = Self.frameRate(frames)
        self.frames = frames
        if case .truncated = end { isTruncated = true } else { isTruncated = false }
    }

    private enum Step {
        case frame(EncodedVideoFrame)
        case end
        case truncated
    }

    private static func frame(
        _ file: inout FileReader, timebase: Double, after last: EncodedVideoFrame?, number: Int
    ) throws(MediaError) -> Step {
        let head = try file.read(12)
        guard head.count == 12 else { return head.isEmpty ? .end : .truncated }
        let length = Int(head.littleEndian32(0))
        guard length <= frameLimit else {
            throw MediaError(.corrupt, file.name, "picture \(number) claims \(length) bytes", remedy: convert)
        }
        let payload = try file.read(length)
        guard payload.count == length else { return .truncated }
        let ticks = Double(UInt64(head.littleEndian32(4)) | UInt64(head.littleEndian32(8)) << 32)
        var frame = EncodedVideoFrame(
            payload: payload, isKeyFrame: false, width: last?.width ?? 0, height: last?.height ?? 0,
            captureTime: MediaTime(nanoseconds: Int64(min(ticks * timebase, 1e9) * 1e9)))
        guard length > 0 else { return .frame(frame) }
        guard let header = payload.withUnsafeBytes({ try? VP8FrameHeader(parsing: $0.bytes) }) else {
            throw MediaError(.corrupt, file.name, "picture \(number) is not VP8", remedy: convert)
        }
        frame.isKeyFrame = header.isKeyFrame
        if header.isKeyFrame { (frame.width, frame.height) = (header.width, header.height) }
        return .frame(frame)
    }

    /// Reads the header and returns the seconds of one tick.
    private static func header(_ file: inout FileReader) throws(MediaError) -> Double {
        let name = file.name
        let header = try file.read(32)
        guard header.count == 32, header[0..<4].elementsEqual("DKIF".utf8) else {
            throw MediaError(.unsupported, name, "is not an IVF file", remedy: convert)
        }
        guard header[8..<12].elementsEqual("VP80".utf8) else {
            let codec = String(decoding: header[8..<12], as: UTF8.self)
            throw MediaError(.unsupported, name, "holds '\(codec)', not VP8", remedy: convert)
        }
        let length = Int(header.littleEndian16(6))
        guard length >= 32, try file.skip(length - 32) else {
            throw MediaError(.corrupt, name, "its header has \(length) bytes", remedy: convert)
        }
        let (rate, scale) = (header.littleEndian32(16), header.littleEndian32(20))
        guard rate > 0, scale > 0 else {
            throw MediaError(.corrupt, name, "its time base is \(scale)/\(rate)", remedy: convert)
        }
        return Double(scale) / Double(rate)
    }

    /// Pictures a second over the whole file; 30 where the timestamps make no sense.
    private static func frameRate(_ frames: [EncodedVideoFrame]) -> Double {
        guard let first = frames.first, let last = frames.last, last.captureTime > first.captureTime else { return 30 }
        let rate = Double(frames.count - 1) / (last.captureTime.seconds - first.captureTime.seconds)
        return (0.1...1_000).contains(rate) ? rate : 30
    }
}
