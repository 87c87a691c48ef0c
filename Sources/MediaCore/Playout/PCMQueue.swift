/// Decoded samples that wait to be played: interleaved 16-bit PCM in one stretch of memory.
struct PCMQueue: ~Copyable {
    let channels: Int
    /// Samples per channel that wait.
    private(set) var frameCount = 0
    private let memory: UnsafeMutableBufferPointer<Int16>
    private let capacity: Int

    /// - Parameter capacity: samples per channel.
    init(channels: Int, capacity: Int) {
        self.channels = channels
        self.capacity = capacity
        memory = .allocate(capacity: capacity * channels)
        memory.initialize(repeating: 0)
    }

    deinit { memory.deallocate() }

    /// Samples per channel that still fit.
    var room: Int { capacity - frameCount }

    /// Memory behind the last sample for `frames` samples per channel; shorter where less is left.
    func space(_ frames: Int) -> UnsafeMutableBufferPointer<Int16> {
        let count = max(0, min(frames, room))
        return UnsafeMutableBufferPointer(rebasing: memory[frameCount * channels..<(frameCount + count) * channels])
    }

    /// Makes `frames` samples of the space part of the queue.
    mutating func commit(_ frames: Int) { frameCount += max(0, min(frames, room)) }

    /// The last `frames` samples, with all the free room behind them.
    func tail(_ frames: Int) -> UnsafeMutableBufferPointer<Int16> {
        let start = frameCount - max(0, min(frames, frameCount))
        return UnsafeMutableBufferPointer(rebasing: memory[(start * channels)...])
    }

    /// Takes samples off the end, which a cut made superfluous, or those before it.
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
}
