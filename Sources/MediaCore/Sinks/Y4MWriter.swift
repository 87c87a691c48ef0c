import Synchronization

/// Writes a YUV4MPEG2 file. All pictures take the size of the first; others are scaled to it.
///
/// When the disk is full, the whole pictures written so far stay, and ``close()`` throws.
public final class Y4MWriter: VideoSink {
    /// Pictures a second that the header names.
    public let frameRate: Int
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: FileWriter
        var size: (width: Int, height: Int)?
        var scaled: VideoBuffer?
        var isClosed = false
    }

    /// Creates or empties a file.
    ///
    /// - Parameter frameRate: pictures a second; the format has no time per picture.
    public convenience init(path: String, frameRate: Int = 30) throws(MediaError) {
        try self.init(path: path, frameRate: frameRate, sizeLimit: .max)
    }

    package init(path: String, frameRate: Int, sizeLimit: Int) throws(MediaError) {
        self.frameRate = min(max(frameRate, 1), 1_000)
        state = Mutex(State(file: try FileWriter(path: path, sizeLimit: sizeLimit)))
    }

    deinit { state.withLock { Self.finish(&$0) } }

    /// What went wrong, as soon as it does.
    public var failure: MediaError? { state.withLock { $0.file.failure } }

    /// Appends a picture.
    public func receive(_ frame: VideoFrame) {
        state.withLock { state in
            guard !state.isClosed else { return }
            let size = state.size ?? begin(&state, frame)
            if frame.width == size.width, frame.height == size.height {
                frame.withPlanes { Self.write($0, to: &state.file) }
            } else {
                let buffer = state.scaled ?? VideoBuffer(width: size.width, height: size.height)
                state.scaled = buffer
                frame.withPlanes { VideoScaler.scale($0, to: buffer.planes) }
                Self.write(buffer.planes.readOnly, to: &state.file)
            }
        }
    }

    /// Closes the file; throws what went wrong since the beginning.
    public func close() throws(MediaError) {
        let failure = state.withLock { state in
            Self.finish(&state)
            return state.file.failure
        }
        if let failure { throw failure }
    }

    private func begin(_ state: inout State, _ frame: VideoFrame) -> (width: Int, height: Int) {
        let size = (frame.width, frame.height)
        state.size = size
        state.file.write(Array("YUV4MPEG2 W\(size.0) H\(size.1) F\(frameRate):1 Ip A1:1 C420jpeg\n".utf8))
        return size
    }

    private static func write(_ planes: I420Planes, to file: inout FileWriter) {
        file.write(Array("FRAME\n".utf8))
        writeRows(planes.y, planes.yStride, planes.width, planes.height, to: &file)
        writeRows(planes.u, planes.uStride, planes.chromaWidth, planes.chromaHeight, to: &file)
        writeRows(planes.v, planes.vStride, planes.chromaWidth, planes.chromaHeight, to: &file)
        file.endUnit()
    }

    private static func writeRows(
        _ plane: UnsafePointer<UInt8>, _ stride: Int, _ width: Int, _ height: Int, to file: inout FileWriter
    ) {
        for row in 0..<height { file.write(UnsafeRawBufferPointer(start: plane + row * stride, count: width)) }
    }

    private static func finish(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.file.flush()
        state.file.close()
    }
}
