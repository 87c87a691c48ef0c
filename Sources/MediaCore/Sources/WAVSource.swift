import Synchronization

/// Plays a WAV file: 16, 24 or 32-bit integers or 32-bit floats, any sample rate, any number of channels.
///
/// Files of one or two channels keep them; of more, the average is played.
public final class WAVSource: AudioSource {
    /// 1 or 2.
    public let channels: Int
    private let state: Mutex<State>

    fileprivate struct State: ~Copyable {
        var reader: WAVReader
        var resampler: Resampler?
        let repeats: Bool
        let channels: Int
        /// Samples read from the file and not yet resampled.
        var pending: [Int16]
        var pendingStart = 0
        var pendingEnd = 0
        /// Samples per channel of silence still to be fed, to flush the resampler at the end.
        var flush = 0
        var hasEnded = false
        var failure: MediaError?
    }

    /// Opens a file.
    ///
    /// - Parameter repeats: whether it starts over at its end.
    public convenience init(path: String, repeats: Bool = false) throws(MediaError) {
        try self.init(file: FileReader(path: path), repeats: repeats)
    }

    /// Plays a WAV file that lies in memory; `name` stands for it in error messages.
    public convenience init(bytes: [UInt8], name: String, repeats: Bool = false) throws(MediaError) {
        try self.init(file: FileReader(bytes: bytes, name: name), repeats: repeats)
    }

    init(file: consuming FileReader, repeats: Bool) throws(MediaError) {
        let reader = try WAVReader(file: file)
        let channels = reader.channels
        let rate = reader.format.sampleRate
        var resampler: Resampler?
        if rate != AudioFrame.sampleRate {
            resampler = try Resampler(channels: channels, from: rate, to: AudioFrame.sampleRate)
        }
        self.channels = channels
        state = Mutex(
            State(
                reader: reader, resampler: resampler, repeats: repeats, channels: channels,
                pending: [Int16](repeating: 0, count: max(1, rate / 50) * channels)))
    }

    /// The read error that ended the file early, if one did.
    public var failure: MediaError? { state.withLock { $0.failure } }

    /// Whether the file turned out shorter than its header said.
    public var isTruncated: Bool { state.withLock { $0.reader.isTruncated } }

    /// Writes interleaved samples; see ``AudioSource/read(into:)``.
    public func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        state.withLock { $0.read(into: samples) }
    }
}

extension WAVSource.State {
    mutating func read(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        var written = 0
        while written < samples.count {
            let rest = UnsafeMutableBufferPointer(rebasing: samples[written...])
            let count = (resampler == nil ? copy(into: rest) : resample(into: rest)) * channels
            if count == 0 { break }
            written += count
        }
        return written / channels
    }

    private mutating func copy(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        guard !hasEnded else { return 0 }
        return readFile(into: samples)
    }

    private mutating func resample(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        // Several inputs may be needed before the filter gives its first output.
        while true {
            if pendingStart == pendingEnd, !refill() { return 0 }
            let step = pending.withUnsafeBufferPointer { pending in
                resampler?.process(UnsafeBufferPointer(rebasing: pending[pendingStart..<pendingEnd]), into: samples)
            }
            guard let step, step.consumed > 0 || step.produced > 0 else { return 0 }
            pendingStart += step.consumed * channels
            if step.produced > 0 { return step.produced }
        }
    }

    /// Reads the next input of the resampler; after the end of the file, as much silence as its filter is long.
    private mutating func refill() -> Bool {
        if !hasEnded {
            let count = withPending { state, buffer in state.readFile(into: buffer) }
            pendingStart = 0
            pendingEnd = count * channels
            if count > 0 { return true }
            flush = resampler?.inputLatency ?? 0
        }
        let silence = min(flush, pending.count / channels)
        guard silence > 0 else { return false }
        flush -= silence
        pendingStart = 0
        pendingEnd = silence * channels
        for index in 0..<pendingEnd { pending[index] = 0 }
        return true
    }

    /// Lends the pending buffer while the rest of the state is in use.
    private mutating func withPending(
        _ body: (inout WAVSource.State, UnsafeMutableBufferPointer<Int16>) -> Int
    ) -> Int {
        var buffer: [Int16] = []
        swap(&buffer, &pending)
        defer { swap(&buffer, &pending) }
        return buffer.withUnsafeMutableBufferPointer { body(&self, $0) }
    }

    /// Samples per channel read, starting over at the end where asked to; 0 at the end, which is then remembered.
    private mutating func readFile(into samples: UnsafeMutableBufferPointer<Int16>) -> Int {
        do throws(MediaError) {
            var count = try reader.read(into: samples)
            if count == 0, repeats {
                try reader.rewind()
                count = try reader.read(into: samples)
            }
            if count == 0 { hasEnded = true }
            return count
        } catch {
            failure = error
            hasEnded = true
            return 0
        }
    }
}
