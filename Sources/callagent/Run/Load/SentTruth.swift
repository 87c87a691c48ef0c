import LoadCore
import MediaCore
import Synchronization

/// What one publisher has sent on one track, as its source knows it.
final class SentTruth: Sendable {
    /// Sums since the beginning.
    struct Counts {
        var frames = 0
        var bytes = 0
        var keyFrames = 0
    }

    private struct State {
        var counts = Counts()
        /// Numbers of the last frames, by stream.
        var last: [UInt8: UInt32] = [:]
        /// When the last frame left, of whatever stream, and how long after it the next one of that stream is due, in seconds. A
        /// stream that nobody receives stops while others go on; what keeps a sender from its work keeps it from all of them.
        var latest: (time: Int64, interval: Double)?
        /// The longest that a frame was late since the last look.
        var longestDelay = 0.0
        var isPaused = false
        var isSilent: Bool

        /// After more than a second nobody received any of it.
        mutating func noteDelay(of interval: Double, at time: Int64) {
            if let latest, time - latest.time < 1_000_000_000 {
                let due = max(interval, latest.interval) * 1000
                longestDelay = max(longestDelay, Double(time - latest.time) / 1e6 - due)
            }
            latest = (time, interval)
        }
    }

    let kind: MediaKind
    let run: UInt32
    let publisher: UInt32
    private let state: Mutex<State>

    init(_ kind: MediaKind, run: UInt32, publisher: UInt32, isSilent: Bool = false) {
        self.kind = kind
        self.run = run
        self.publisher = publisher
        state = Mutex(State(isSilent: isSilent))
    }

    var counts: Counts { state.withLock { $0.counts } }
    var last: [UInt8: UInt32] { state.withLock { $0.last } }

    /// Nothing leaves while it is set; numbers go on where they were.
    var isPaused: Bool {
        get { state.withLock { $0.isPaused } }
        set {
            state.withLock {
                $0.isPaused = newValue
                $0.latest = nil
            }
        }
    }

    /// Silence is left out, as with discontinuous transmission.
    var isSilent: Bool {
        get { state.withLock { $0.isSilent } }
        set {
            state.withLock {
                $0.isSilent = newValue
                $0.latest = nil
            }
        }
    }

    /// The longest in milliseconds that a frame left later than was due after the one before, since the last look.
    func takeLongestDelay() -> Double {
        state.withLock { state in
            defer { state.longestDelay = 0 }
            return state.longestDelay
        }
    }

    /// A frame of a stream leaves now.
    /// - Returns: what it says of itself.
    func next(
        layer: UInt8, clip: Int, bytes: Int, isKeyFrame: Bool, interval: Double, at time: Int64
    ) -> MediaStamp {
        state.withLock { state in
            let number = state.last[layer].map { $0 &+ 1 } ?? 0
            state.last[layer] = number
            state.counts.frames += 1
            state.counts.bytes += bytes
            if isKeyFrame { state.counts.keyFrames += 1 }
            state.noteDelay(of: interval, at: time)
            return MediaStamp(
                run: run, publisher: publisher, layer: layer, clip: UInt16(truncatingIfNeeded: clip), number: number,
                nanoseconds: time)
        }
    }
}
