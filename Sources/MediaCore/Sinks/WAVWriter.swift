import Synchronization

/// Writes a WAV file of 16-bit samples at 48 kHz.
///
/// Until it is closed the header says "as long as the file is", so that a killed program leaves a playable file. When the
/// disk is full, what was written stays and is playable, and ``close()`` throws.
public final class WAVWriter: AudioSink {
    /// 1 or 2.
    public let channels: Int
    private let state: Mutex<State>

    private static let headerSize = 44

    private struct State: ~Copyable {
        var file: FileWriter
        var isClosed = false
        var scratch: [Int16] = []
    }

    /// Creates or empties a file.
    ///
    /// - Parameter channels: 1 or 2; frames with another number are averaged or doubled.
    public convenience init(path: String, channels: Int = 1) throws(MediaError) {
        try self.init(path: path, channels: channels, sizeLimit: Int(UInt32.max))
    }

    package init(path: String, channels: Int, sizeLimit: Int) throws(MediaError) {
        self.channels = min(max(channels, 1), 2)
        var file = try FileWriter(path: path, sizeLimit: sizeLimit)
        file.write(Self.header(channels: self.channels, dataSize: nil))
        file.endUnit()
        state = Mutex(State(file: file))
    }

    deinit { state.withLock { Self.finish(&$0, channels: channels) } }

    /// What went wrong, as soon as it does.
    public var failure: MediaError? { state.withLock { $0.file.failure } }

    /// Seconds accepted so far.
    public var duration: Double {
        let bytes = state.withLock { max(0, $0.file.size - Self.headerSize) }
        return Double(bytes / (2 * channels)) / Double(AudioFrame.sampleRate)
    }

    /// Appends a frame.
    public func receive(_ frame: AudioFrame) {
        state.withLock { state in
            guard !state.isClosed else { return }
            if frame.channels == channels {
                frame.samples.withUnsafeBytes { state.file.write($0) }
            } else {
                frame.convert(to: channels, into: &state.scratch)
                state.scratch.withUnsafeBytes { state.file.write($0) }
            }
            state.file.endUnit()
        }
    }

    /// Completes the header and closes the file; throws what went wrong since the beginning.
    public func close() throws(MediaError) {
        let failure = state.withLock { state in
            Self.finish(&state, channels: channels)
            return state.file.failure
        }
        if let failure { throw failure }
    }

    private static func finish(_ state: inout State, channels: Int) {
        guard !state.isClosed else { return }
        state.isClosed = true
        state.file.flush()
        let dataSize = max(0, state.file.completeSize - headerSize)
        state.file.patch(header(channels: channels, dataSize: dataSize), at: 0)
        state.file.close()
    }

    /// The canonical 44 bytes; open-ended where the size isn't known.
    private static func header(channels: Int, dataSize: Int?) -> [UInt8] {
        let size = dataSize.map { UInt32(clamping: $0) }
        let block = UInt16(2 * channels)
        let rate = UInt32(AudioFrame.sampleRate)
        var bytes = Array("RIFF".utf8)
        bytes.appendLittleEndian(size.map { $0 &+ 36 } ?? UInt32.max)
        bytes += Array("WAVEfmt ".utf8)
        bytes.appendLittleEndian(UInt32(16))
        bytes.appendLittleEndian(UInt16(1))
        bytes.appendLittleEndian(UInt16(channels))
        bytes.appendLittleEndian(rate)
        bytes.appendLittleEndian(rate * UInt32(block))
        bytes.appendLittleEndian(block)
        bytes.appendLittleEndian(UInt16(16))
        bytes += Array("data".utf8)
        bytes.appendLittleEndian(size ?? UInt32.max)
        return bytes
    }
}

extension AudioFrame {
    /// Writes the samples with another channel count: mono doubled, stereo averaged.
    package func convert(to target: Int, into output: inout [Int16]) {
        output.removeAll(keepingCapacity: true)
        for index in 0..<frameCount {
            var sum = 0
            for channel in 0..<channels { sum += Int(samples[index * channels + channel]) }
            let mean = Int16(clamping: sum / channels)
            for _ in 0..<target { output.append(mean) }
        }
    }
}
