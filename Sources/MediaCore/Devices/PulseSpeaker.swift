import Foundation
import Synchronization

/// Plays frames on a PulseAudio sink.
///
/// A thread of its own waits for the sound system; frames that pile up beyond 200 ms are dropped, oldest first, so that a
/// stalled device delays nothing and nobody.
public final class PulseSpeaker: AudioSink {
    private static let limit = AudioFrame.sampleRate / 5
    /// How long `close` waits for a device that has stalled.
    private static let patience = DispatchTimeInterval.seconds(2)

    private struct Queue {
        var samples: [Int16] = []
        var scratch: [Int16] = []
        var dropped = 0
        var isClosed = false
        var failure: MediaError?
    }

    private let queue = Mutex(Queue())
    private let wake = DispatchSemaphore(value: 0)
    private let finished = DispatchSemaphore(value: 0)
    private let name: String
    private let onFailure: @Sendable (MediaError) -> Void

    /// Opens a sink. Throws ``MediaError`` where there is no sound system or no such device.
    ///
    /// - Parameters:
    ///   - device: the sink's name; nil for the default one.
    ///   - onFailure: told once, on the speaker's thread, when the device is lost; from then on frames are passed over.
    public init(
        device: String? = nil, onFailure: @escaping @Sendable (MediaError) -> Void = { _ in }
    ) throws(MediaError) {
        name = device ?? "default"
        self.onFailure = onFailure
        let stream = try PulseStream.open(.playback, device: device)
        Self.run(stream, self)
    }

    private static func run(_ stream: consuming PulseStream, _ speaker: PulseSpeaker) {
        let box = StreamBox(stream)
        let thread = Thread { [weak speaker, wake = speaker.wake, finished = speaker.finished] in
            box.use { stream in
                while let samples = speaker?.next(waiting: wake) {
                    guard !samples.isEmpty else { continue }
                    do throws(MediaError) {
                        try samples.withUnsafeBufferPointer { samples throws(MediaError) in try stream.write(samples) }
                    } catch {
                        speaker?.fail(error)
                        return
                    }
                }
                stream.drain()
            }
            finished.signal()
        }
        thread.name = "pulse-speaker"
        thread.start()
    }

    private func fail(_ error: MediaError) {
        queue.withLock { queue in
            queue.failure = error
            queue.samples = []
        }
        onFailure(error)
    }

    /// What waits, or nothing after a moment without frames; nil at the end.
    private func next(waiting wake: DispatchSemaphore) -> [Int16]? {
        _ = wake.wait(timeout: .now() + .milliseconds(100))
        return queue.withLock { queue in
            guard !queue.isClosed || !queue.samples.isEmpty else { return nil }
            let samples = queue.samples
            queue.samples.removeAll(keepingCapacity: true)
            return samples
        }
    }

    /// Queues a frame.
    public func receive(_ frame: AudioFrame) {
        queue.withLock { queue in
            guard !queue.isClosed, queue.failure == nil else { return }
            if frame.channels == 1 {
                queue.samples += frame.samples
            } else {
                frame.convert(to: 1, into: &queue.scratch)
                queue.samples += queue.scratch
            }
            let surplus = queue.samples.count - Self.limit
            if surplus > 0 {
                queue.samples.removeFirst(surplus)
                queue.dropped += surplus
            }
        }
        wake.signal()
    }

    /// Milliseconds of sound that a stalled device cost.
    public var droppedMilliseconds: Double {
        Double(queue.withLock { $0.dropped }) * 1_000 / Double(AudioFrame.sampleRate)
    }

    /// What went wrong with the device; from then on nothing is played.
    public var failure: MediaError? { queue.withLock { $0.failure } }

    /// Plays what is queued, then lets go of the device; throws what went wrong since the beginning. A device that has
    /// stalled is waited for two seconds, and that is told.
    public func close() throws(MediaError) {
        let wasClosed = queue.withLock { queue in
            defer { queue.isClosed = true }
            return queue.isClosed
        }
        if !wasClosed {
            wake.signal()
            guard finished.wait(timeout: .now() + Self.patience) == .success else {
                throw MediaError(
                    .environment, "PulseAudio device \(name)", "it stalled, and its last sound was not played",
                    remedy: "look at the daemon (pactl info)")
            }
        }
        if let failure = queue.withLock({ $0.failure }) { throw failure }
    }

    deinit { wake.signal() }
}

/// Carries a stream to the thread that is to own it.
// Made by one thread, used by the one that `use` runs on, and by no other.
final class StreamBox: @unchecked Sendable {
    private let stream: PulseStream

    init(_ stream: consuming PulseStream) { self.stream = stream }

    func use(_ body: (borrowing PulseStream) -> Void) { body(stream) }
}
