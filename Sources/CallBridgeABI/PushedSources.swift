import MediaCore
import Synchronization

/// Sound that the application gives: silence while there is none.
final class PushedAudio: AudioSource {
    /// A second of it, as a ring: what waits begins at `first` and goes on at the start where it meets the end.
    private struct Ring {
        var samples: [Int16]
        var first = 0
        var count = 0
    }

    let channels: Int
    private let waiting: Mutex<Ring>

    /// - Parameter channels: 1 or 2.
    init(channels: Int) {
        self.channels = channels
        waiting = Mutex(Ring(samples: [Int16](repeating: 0, count: AudioFrame.sampleRate * channels)))
    }

    /// Takes samples, until a second of them waits. Gives how many frames were taken.
    func push(_ samples: UnsafeBufferPointer<Int16>) -> Int {
        waiting.withLock { ring in
            let size = ring.samples.count
            let count = min(size - ring.count, samples.count) / channels * channels
            for index in 0..<count { ring.samples[(ring.first + ring.count + index) % size] = samples[index] }
            ring.count += count
            return count / channels
        }
    }

    func read(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        waiting.withLock { ring in
            let size = ring.samples.count
            let count = min(ring.count, output.count)
            for index in 0..<count { output[index] = ring.samples[(ring.first + index) % size] }
            for index in count..<output.count { output[index] = 0 }
            ring.first = (ring.first + count) % size
            ring.count -= count
        }
        return output.count / channels
    }
}

/// Pictures that the application gives: the last one again while there is no other.
final class PushedVideo: VideoSource {
    let width: Int
    let height: Int
    let frameRate: Double
    private let pool = VideoBufferPool(capacity: 4)
    private let last: Mutex<VideoFrame>

    init(width: Int, height: Int, frameRate: Double) {
        self.width = width
        self.height = height
        self.frameRate = frameRate
        last = Mutex(VideoFrame(black: width, by: height))
    }

    /// Copies a picture of this size.
    func push(_ planes: I420Planes) {
        let buffer = pool.acquire(width: width, height: height)
        buffer.planes.copy(planes)
        last.withLock { $0 = VideoFrame(buffer: buffer, captureTime: .zero) }
    }

    func nextFrame(at time: MediaTime) -> VideoFrame? {
        var frame = last.withLock { $0 }
        frame.captureTime = time
        return frame
    }
}
