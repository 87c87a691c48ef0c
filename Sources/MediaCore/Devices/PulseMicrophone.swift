import Foundation
import Synchronization

/// Sound of a PulseAudio source as something to publish.
///
/// A thread of its own waits for the device; what is read beyond it is silence, and what piles up beyond 100 ms is
/// dropped, oldest first.
public final class PulseMicrophone: AudioSource {
    /// Always 1.
    public let channels = 1
    private static let limit = AudioFrame.sampleRate / 10

    private struct Queue {
        var samples: [Int16] = []
        var isClosed = false
        var failure: MediaError?
    }

    private let queue = Mutex(Queue())

    /// Opens a source. Throws ``MediaError`` where there is no sound system or no such device.
    ///
    /// - Parameters:
    ///   - device: the source's name; nil for the default one.
    ///   - onFailure: told once, on the microphone's thread, when the device is lost; from then on there is silence.
    public init(
        device: String? = nil, onFailure: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) throws(MediaError) {
        let box = StreamBox(try PulseStream.open(.recording, device: device))
        let thread = Thread { [weak self] in
            box.use { stream in
                var samples = [Int16](repeating: 0, count: AudioFrame.sampleRate / 50)
                while let self, self.isOpen {
                    do throws(MediaError) {
                        try samples.withUnsafeMutableBufferPointer { buffer throws(MediaError) in
                            try stream.read(into: buffer)
                        }
                    } catch {
                        self.queue.withLock { $0.failure = error }
                        onFailure(error)
                        break
                    }
                    self.append(samples)
                }
            }
        }
        thread.name = "pulse-microphone"
        thread.start()
    }

    private var isOpen: Bool { queue.withLock { !$0.isClosed } }

    private func append(_ samples: [Int16]) {
        queue.withLock { queue in
            queue.samples += samples
            let surplus = queue.samples.count - Self.limit
            if surplus > 0 { queue.samples.removeFirst(surplus) }
        }
    }

    /// What went wrong with the device; from then on there is only silence.
    public var failure: MediaError? { queue.withLock { $0.failure } }

    /// Writes what the device gave, and silence where it gave less; never ends before ``close()``.
    public func read(into output: UnsafeMutableBufferPointer<Int16>) -> Int {
        queue.withLock { queue in
            guard !queue.isClosed else { return 0 }
            let count = min(output.count, queue.samples.count)
            queue.samples.withUnsafeBufferPointer { samples in
                _ = output[..<count].update(fromContentsOf: samples[..<count])
            }
            queue.samples.removeFirst(count)
            output[count...].update(repeating: 0)
            return output.count
        }
    }

    /// Lets go of the device.
    public func close() { queue.withLock { $0.isClosed = true } }
}
