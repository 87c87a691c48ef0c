import RTCWire
import Synchronization

/// What of a track is recorded as it comes. Where nothing is, a packet costs one look at a flag.
final class RecordingTap: Sendable {
    let sinks = Mutex<[any ReceivedFrameSink]>([])
    /// Set once, before anything comes.
    let counter = Mutex<(any ReceivedFrameCounter)?>(nil)
    let isActive = Atomic<Bool>(false)
    let wantsKeyFrame = Atomic<Bool>(false)
    let clock = Mutex<SenderClock?>(nil)

    /// True once after a key frame has been asked for.
    func takeKeyFrameRequest() -> Bool {
        wantsKeyFrame.load(ordering: .relaxed) && wantsKeyFrame.exchange(false, ordering: .relaxed)
    }

    /// Hands a frame to the sinks, at once.
    func deliver(
        _ bytes: UnsafeRawBufferPointer, _ codec: MediaCodec, timestamp: UInt32, isKeyFrame: Bool, packets: Int = 1,
        arrival: Instant
    ) {
        guard isActive.load(ordering: .relaxed) else { return }
        counter.withLock { $0 }?.count(bytes, packets: packets, isKeyFrame: isKeyFrame)
        let sinks = sinks.withLock { $0 }
        guard !sinks.isEmpty else { return }
        let frame = ReceivedFrame(
            codec: codec, payload: Array(bytes), timestamp: timestamp, isKeyFrame: isKeyFrame, arrival: arrival,
            clock: clock.withLock { $0 })
        for sink in sinks { sink.receive(frame) }
    }

    /// Hands a whole picture to the sinks, at once.
    func deliver(_ bytes: UnsafeRawBufferPointer, of frame: AssembledVideoFrame) {
        deliver(
            bytes, frame.codec, timestamp: frame.timestamp, isKeyFrame: frame.isKeyFrame, packets: frame.packetCount,
            arrival: frame.firstArrival)
    }

    /// Hands the sound of a packet to the sinks, at once, its copies of earlier sound too (RFC 2198).
    func deliver(sound payload: UnsafeRawBufferPointer, isRED: Bool, timestamp: UInt32, arrival: Instant) {
        guard isActive.load(ordering: .relaxed) else { return }
        guard isRED else {
            return deliver(payload, .opus, timestamp: timestamp, isKeyFrame: true, arrival: arrival)
        }
        guard let red = try? RedundantAudio(parsing: payload.bytes) else { return }
        for index in (0...red.copies).reversed() {
            guard let block = red.block(index, in: payload.bytes), !block.range.isEmpty else { continue }
            deliver(
                UnsafeRawBufferPointer(rebasing: payload[block.range]), .opus,
                timestamp: timestamp &- block.timestampOffset, isKeyFrame: true, arrival: arrival)
        }
    }
}
