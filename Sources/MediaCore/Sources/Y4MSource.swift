import Synchronization

/// Plays a YUV4MPEG2 file of 8-bit 4:2:0 pictures.
public final class Y4MSource: VideoSource {
    /// Pixels.
    public let width: Int
    /// Pixels.
    public let height: Int
    /// Pictures a second, as the file says.
    public let frameRate: Double

    private let header: Y4MHeader
    private let repeats: Bool
    private let dataOffset: Int
    private let pool = VideoBufferPool()
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: FileReader
        var hasEnded = false
        var isTruncated = false
        var failure: MediaError?
    }

    /// Opens a file.
    ///
    /// - Parameter repeats: whether it starts over at its end.
    public convenience init(path: String, repeats: Bool = false) throws(MediaError) {
        try self.init(file: FileReader(path: path), repeats: repeats)
    }

    /// Plays a Y4M file that lies in memory; `name` stands for it in error messages.
    public convenience init(bytes: [UInt8], name: String, repeats: Bool = false) throws(MediaError) {
        try self.init(file: FileReader(bytes: bytes, name: name), repeats: repeats)
    }

    init(file: consuming FileReader, repeats: Bool) throws(MediaError) {
        var reader = file
        let line = try reader.line(limit: Y4MHeader.lineLimit) ?? []
        header = try Y4MHeader(line: line, file: reader.name)
        dataOffset = line.count + 1
        width = header.width
        height = header.height
        frameRate = header.frameRate
        self.repeats = repeats
        state = Mutex(State(file: reader))
    }

    /// The error that ended the file early, if one did.
    public var failure: MediaError? { state.withLock { $0.failure } }

    /// Whether the file ended in the middle of a picture.
    public var isTruncated: Bool { state.withLock { $0.isTruncated } }

    /// The next picture; nil at the end.
    public func nextFrame(at time: MediaTime) -> VideoFrame? {
        state.withLock { state in
            guard !state.hasEnded else { return nil }
            do throws(MediaError) {
                if let frame = try readFrame(&state, time) { return frame }
                if repeats {
                    try state.file.seek(to: dataOffset)
                    if let frame = try readFrame(&state, time) { return frame }
                }
            } catch {
                state.failure = error
            }
            state.hasEnded = true
            return nil
        }
    }

    private func readFrame(_ state: inout State, _ time: MediaTime) throws(MediaError) -> VideoFrame? {
        guard let line = try state.file.line(limit: Y4MHeader.lineLimit) else { return nil }
        guard line.starts(with: "FRAME".utf8) else {
            throw MediaError(.corrupt, state.file.name, "a picture doesn't begin with FRAME", remedy: Y4MHeader.convert)
        }
        let buffer = pool.acquire(width: width, height: height)
        guard try Self.readPlanes(&state.file, buffer.planes) else {
            state.isTruncated = true
            return nil
        }
        return VideoFrame(buffer: buffer, captureTime: time)
    }

    private static func readPlanes(_ file: inout FileReader, _ planes: MutableI420Planes) throws(MediaError) -> Bool {
        let (width, height) = (planes.chromaWidth, planes.chromaHeight)
        guard try readRows(&file, planes.y, planes.yStride, planes.width, planes.height) else { return false }
        guard try readRows(&file, planes.u, planes.uvStride, width, height) else { return false }
        return try readRows(&file, planes.v, planes.uvStride, width, height)
    }

    private static func readRows(
        _ file: inout FileReader, _ target: UnsafeMutablePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int
    ) throws(MediaError) -> Bool {
        for row in 0..<height {
            let line = UnsafeMutableRawBufferPointer(start: target + row * stride, count: width)
            guard try file.read(into: line) == width else { return false }
        }
        return true
    }
}
