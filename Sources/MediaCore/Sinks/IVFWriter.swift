import Synchronization

/// Writes received VP8 pictures into an IVF file, without decoding them; the layout stands at ``IVFFile``.
///
/// Timestamps are those of the pictures' capture in milliseconds since the first one. When the disk is full, the whole
/// pictures written so far stay, the header counts them, and ``close()`` throws.
public final class IVFWriter: EncodedVideoSink {
    private let state: Mutex<State>

    private struct State: ~Copyable {
        var file: FileWriter
        var start: MediaTime?
        var lastTicks: Int64 = -1
        var size = (width: 0, height: 0)
        var isClosed = false
    }

    /// Creates or empties a file.
    public convenience init(path: String) throws(MediaError) {
        try self.init(path: path, sizeLimit: .max)
    }

    package init(path: String, sizeLimit: Int) throws(MediaError) {
        state = Mutex(State(file: try FileWriter(path: path, sizeLimit: sizeLimit)))
    }

    deinit { state.withLock { Self.finish(&$0) } }

    /// What went wrong, as soon as it does.
    public var failure: MediaError? { state.withLock { $0.file.failure } }

    /// Appends a picture; what comes before the first key frame is left out.
    public func receive(_ frame: EncodedVideoFrame) {
        state.withLock { state in
            guard !state.isClosed, state.start != nil || frame.isKeyFrame else { return }
            let start = state.start ?? Self.begin(&state, frame)
            let ticks = (frame.captureTime.nanoseconds &- start.nanoseconds) / 1_000_000
            state.lastTicks = max(ticks, state.lastTicks + 1)
            var head: [UInt8] = []
            head.appendLittleEndian(UInt32(clamping: frame.payload.count))
            head.appendLittleEndian(UInt64(state.lastTicks))
            state.file.write(head)
            state.file.write(frame.payload)
            state.file.endUnit()
        }
    }

    /// Completes the header and closes the file; throws what went wrong since the beginning.
    public func close() throws(MediaError) {
        let failure = state.withLock { state in
            Self.finish(&state)
            return state.file.failure
        }
        if let failure { throw failure }
    }

    private static func begin(_ state: inout State, _ frame: EncodedVideoFrame) -> MediaTime {
        state.start = frame.captureTime
        state.size = (frame.width, frame.height)
        state.file.write(header(size: state.size, count: 0))
        return frame.captureTime
    }

    private static func finish(_ state: inout State) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.file.flush()
        if state.start != nil { state.file.patch(header(size: state.size, count: state.file.completeUnits), at: 0) }
        state.file.close()
    }

    private static func header(size: (width: Int, height: Int), count: Int) -> [UInt8] {
        var bytes = Array("DKIF".utf8)
        bytes.appendLittleEndian(UInt16(0))
        bytes.appendLittleEndian(UInt16(32))
        bytes += Array("VP80".utf8)
        bytes.appendLittleEndian(UInt16(clamping: size.width))
        bytes.appendLittleEndian(UInt16(clamping: size.height))
        bytes.appendLittleEndian(UInt32(1_000))
        bytes.appendLittleEndian(UInt32(1))
        bytes.appendLittleEndian(UInt32(clamping: count))
        bytes.appendLittleEndian(UInt32(0))
        return bytes
    }
}
