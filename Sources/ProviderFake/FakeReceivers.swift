import MediaCore
import RTCCore
import RTCWire

/// A remote track in a simulation: its packets are buffered, decoded and handed to the track's sinks in virtual time.
protocol FakeReceiver: AnyObject {
    var track: RemoteTrack { get }
    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer)
    /// Comes every 20 ms. True where a key frame is wanted.
    func turn(now: Instant) -> Bool
    func count(into statistics: inout ReceiverStatistics)
}

/// Sound: jitter buffer and Opus decoder.
final class FakeAudioReceiver: FakeReceiver {
    let track: RemoteTrack
    private let buffer: AudioJitterBuffer<OpusDecoder>
    private let created: Instant
    private var firstSound: Instant?
    private var samples = [Int16](repeating: 0, count: 960)

    init(_ track: RemoteTrack, now: Instant) throws(MediaError) {
        self.track = track
        created = now
        buffer = AudioJitterBuffer(decoder: try OpusDecoder(channels: 1))
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        guard !payload.isEmpty else { return }
        buffer.insert(
            payload, timestamp: packet.header.timestamp, sequence: packet.sequence, ssrc: packet.ssrc,
            arrival: packet.arrival)
    }

    func turn(now: Instant) -> Bool {
        if track.isPaused { buffer.expectPause() }
        let kind = samples.withUnsafeMutableBufferPointer { buffer.pull(frames: 960, now: now, into: $0) }
        guard kind != .buffering else { return false }
        firstSound = firstSound ?? now
        track.deliver(AudioFrame(samples: samples, time: MediaTime(nanoseconds: now.nanoseconds)))
        return false
    }

    func count(into statistics: inout ReceiverStatistics) {
        let counted = buffer.statistics
        statistics.codec = "opus"
        statistics.framesReceived = counted.packetsReceived
        statistics.framesDecoded = counted.packetsDecoded
        statistics.framesDropped = counted.packetsLate + counted.packetsSkipped + counted.packetsUnreadable
        statistics.concealedMilliseconds = counted.concealedMilliseconds
        statistics.playedMilliseconds = Double(counted.totalSamples) / 48
        statistics.firstFrameMilliseconds = firstSound.map { ($0 - created).milliseconds }
    }
}

/// Pictures: frame assembly and VP8 decoder.
final class FakeVideoReceiver: FakeReceiver {
    let track: RemoteTrack
    private let buffer = VideoFrameBuffer()
    private let decoder: VP8Decoder
    private let created: Instant
    private var decoded = 0
    private var failures = 0
    private var firstPicture: Instant?
    private var size = (width: 0, height: 0)

    init(_ track: RemoteTrack, now: Instant) throws(MediaError) {
        self.track = track
        created = now
        decoder = try VP8Decoder()
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        buffer.insert(
            payload, marker: packet.header.marker, timestamp: packet.header.timestamp, sequence: packet.sequence,
            ssrc: packet.ssrc, arrival: packet.arrival)
        drain(now: packet.arrival)
    }

    func turn(now: Instant) -> Bool {
        drain(now: now)
        return buffer.takeKeyFrameRequest(now: now)
    }

    private func drain(now: Instant) {
        if track.isPaused { buffer.expectPause() }
        while let frame = buffer.nextFrame(now: now) { show(frame, now: now) }
    }

    private func show(_ frame: AssembledVideoFrame, now: Instant) {
        let time = MediaTime(nanoseconds: frame.firstArrival.nanoseconds)
        guard let picture = try? decoder.decode(frame.bytes, captureTime: time) else {
            failures += 1
            return buffer.decoderFailed(now: now)
        }
        decoded += 1
        firstPicture = firstPicture ?? now
        size = (picture.width, picture.height)
        track.deliver(picture, encoded: frame.bytes, isKeyFrame: frame.isKeyFrame)
    }

    func count(into statistics: inout ReceiverStatistics) {
        statistics.codec = "VP8"
        statistics.framesReceived = buffer.statistics.framesReceived
        statistics.framesDecoded = decoded
        statistics.framesDropped = buffer.statistics.framesDropped + failures
        statistics.freezes = buffer.statistics.freezes.count
        statistics.firstFrameMilliseconds = firstPicture.map { ($0 - created).milliseconds }
        (statistics.width, statistics.height) = size
    }
}
