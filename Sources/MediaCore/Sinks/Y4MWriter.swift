import Synchronization

/// Writes a YUV4MPEG2 file. All pictures take the size of the first; others are scaled to it.
///
/// The format has one frame rate and no time per picture: what it plays at the right speed is a picture for each interval of
/// the rate. By their capture times pictures are repeated where the next one comes later, and left out where two fall into
/// one interval. A pause longer than ``maximumPause`` is shortened to it. A server's filler pictures are left out.
///
/// When the disk is full, the whole pictures written so far stay, and ``close()`` throws.
public final class Y4MWriter: VideoSink {
    /// Seconds for which a picture is repeated at most.
    public static let maximumPause = 10.0
    /// Pictures a second that the header names.
    public let frameRate: Int
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: FileWriter
        var size: (width: Int, height: Int)?
        var scaled: VideoBuffer?
        var cadence: FrameCadence
        /// The picture written last.
        var last: VideoFrame?
        var isClosed = false
    }

    /// Creates or empties a file.
    ///
    /// - Parameter frameRate: pictures a second.
    public convenience init(path: String, frameRate: Int = 30) throws(MediaError) {
        try self.init(path: path, frameRate: frameRate, sizeLimit: .max)
    }

    package init(path: String, frameRate: Int, sizeLimit: Int) throws(MediaError) {
        self.frameRate = min(max(frameRate, 1), 1_000)
        let cadence = FrameCadence(frameRate: self.frameRate, maximumPause: Self.maximumPause)
        state = Mutex(State(file: try FileWriter(path: path, sizeLimit: sizeLimit), cadence: cadence))
    }

    deinit { state.withLock { Self.finish(&$0) } }

    /// What went wrong, as soon as it does.
    public var failure: MediaError? { state.withLock { $0.file.failure } }

    /// Appends a picture in its place by `captureTime`.
    public func receive(_ frame: VideoFrame) {
        state.withLock { state in
            guard !state.isClosed, !frame.isFiller, let repeats = state.cadence.place(frame.captureTime) else { return }
            if let last = state.last {
                for _ in 0..<repeats where state.file.failure == nil { Self.append(last, &state) }
            } else {
                begin(&state, frame)
            }
            Self.append(frame, &state)
            state.last = frame
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

    private func begin(_ state: inout State, _ frame: VideoFrame) {
        state.size = (frame.width, frame.height)
        state.file.write(
            Array("YUV4MPEG2 W\(frame.width) H\(frame.height) F\(frameRate):1 Ip A1:1 C420jpeg\n".utf8))
    }

    private static func append(_ frame: VideoFrame, _ state: inout State) {
        guard let size = state.size else { return }
        guard frame.width != size.width || frame.height != size.height else {
            return frame.withPlanes { write($0, to: &state.file) }
        }
        let buffer = state.scaled ?? VideoBuffer(width: size.width, height: size.height)
        state.scaled = buffer
        frame.withPlanes { VideoScaler.scale($0, to: buffer.planes) }
        write(buffer.planes.readOnly, to: &state.file)
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
        state.last = nil
        state.file.flush()
        state.file.close()
    }
}
