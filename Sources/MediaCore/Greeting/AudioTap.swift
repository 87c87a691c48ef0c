import Synchronization

/// Keeps what a track plays until the mixing clock takes it. The two clocks tick at the same rate but not at the same
/// moment: one frame may wait, and what piles up beyond three is dropped, oldest first.
final class AudioTap: AudioSink {
    private static let limit = 3 * CallAudioOutput.frameLength

    private struct State {
        var samples: [Int16] = []
        var scratch: [Int16] = []
    }

    private let state = Mutex(State())

    func receive(_ frame: AudioFrame) {
        state.withLock { state in
            if frame.channels == 1 {
                state.samples.append(contentsOf: frame.samples)
            } else {
                frame.convert(to: 1, into: &state.scratch)
                state.samples.append(contentsOf: state.scratch)
            }
            let surplus = state.samples.count - AudioTap.limit
            if surplus > 0 { state.samples.removeFirst(surplus) }
        }
    }

    /// The oldest samples; nil where there are fewer than `count`.
    func take(_ count: Int) -> [Int16]? {
        state.withLock { state in
            guard state.samples.count >= count else { return nil }
            let taken = Array(state.samples[..<count])
            state.samples.removeFirst(count)
            return taken
        }
    }
}
