/// Decoded samples that wait to be played: interleaved 16-bit PCM in one stretch of memory, which grows up to a limit.
struct PCMQueue: ~Copyable {
    let channels: Int
    /// Samples per channel that wait.
    private(set) var frameCount = 0
    private let limit: Int
    private var memory: UnsafeMutableBufferPointer<Int16>

    /// Enough for 20 ms packets, pulls and one change of speed.
    private static let usual = 2_880

    /// - Parameter limit: samples per channel.
    init(channels: Int, limit: Int) {
        self.channels = channels
        self.limit = limit
        memory = .allocate(capacity: min(Self.usual, limit) * channels)
    }

    deinit { memory.deallocate() }

    /// Samples per channel that still fit.
    var room: Int { limit - frameCount }

    /// Memory behind the last sample for `frames` samples per channel; shorter where the limit comes first.
    mutating func space(_ frames: Int) -> UnsafeMutableBufferPointer<Int16> {
        let count = max(0, min(frames, room))
        reserve(count)
        return UnsafeMutableBufferPointer(rebasing: memory[frameCount * channels..<(frameCount + count) * channels])
    }

    /// Makes `frames` samples of the space part of the queue.
    mutating func commit(_ frames: Int) { frameCount += max(0, min(frames, memory.count / channels - frameCount)) }

    /// The last `frames` samples, with room for `spare` more behind them unless the limit comes first.
    mutating func tail(_ frames: Int, spare: Int = 0) -> UnsafeMutableBufferPointer<Int16> {
        reserve(spare)
        let start = frameCount - max(0, min(frames, frameCount))
        let end = min(frameCount + spare, memory.count / channels)
        return UnsafeMutableBufferPointer(rebasing: memory[(start * channels)..<(end * channels)])
    }

    /// Takes samples off the end.
    mutating func trim(_ frames: Int) { frameCount -= max(0, min(frames, frameCount)) }

    mutating func removeAll() { frameCount = 0 }

    /// Cuts `frames` samples out that stand directly before the last `tail` ones.
    mutating func remove(_ frames: Int, beforeLast tail: Int) {
        guard frames > 0, tail >= 0, frames + tail <= frameCount, let base = memory.baseAddress else { return }
        let target = base + (frameCount - tail - frames) * channels
        target.update(from: target + frames * channels, count: tail * channels)
        frameCount -= frames
    }

    /// Appends silence.
    mutating func appendSilence(_ frames: Int) {
        let target = space(frames)
        target.update(repeating: 0)
        commit(target.count / channels)
    }

    /// Moves the first samples out; `frames` is at most `frameCount`.
    mutating func read(_ frames: Int, into output: UnsafeMutableBufferPointer<Int16>) {
        let count = max(0, min(frames, frameCount, output.count / channels)) * channels
        guard count > 0, let base = memory.baseAddress, let out = output.baseAddress else { return }
        out.update(from: base, count: count)
        let rest = frameCount * channels - count
        base.update(from: base + count, count: rest)
        frameCount = rest / channels
    }

    /// Grows the memory for `frames` more samples per channel.
    private mutating func reserve(_ frames: Int) {
        let needed = min(frameCount + frames, limit) * channels
        guard needed > memory.count, let old = memory.baseAddress else { return }
        let larger = UnsafeMutableBufferPointer<Int16>.allocate(
            capacity: min(max(needed, 2 * memory.count), limit * channels))
        larger.baseAddress?.initialize(from: old, count: frameCount * channels)
        memory.deallocate()
        memory = larger
    }
}
