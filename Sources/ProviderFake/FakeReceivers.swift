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
        statistics.framesUndecodable = counted.packetsUnreadable
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
    private var decoded = DecodedPictures()
    private var timeline = CaptureTimeline()
    private var lastTurn: Instant

    init(_ track: RemoteTrack, now: Instant) throws(MediaError) {
        self.track = track
        created = now
        lastTurn = now
        decoder = try VP8Decoder()
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        buffer.insert(
            payload, marker: packet.header.marker, timestamp: packet.header.timestamp, sequence: packet.sequence,
            ssrc: packet.ssrc, arrival: packet.arrival)
        drain(now: packet.arrival)
    }

    func turn(now: Instant) -> Bool {
        lastTurn = now
        drain(now: now)
        return buffer.takeKeyFrameRequest(now: now)
    }

    private func drain(now: Instant) {
        if track.isPaused { buffer.expectPause() }
        while let frame = buffer.nextFrame(now: now) { show(frame, now: now) }
    }

    private func show(_ frame: AssembledVideoFrame, now: Instant) {
        let time = timeline.time(of: frame.timestamp, arrival: frame.firstArrival)
        let (picture, outcome) = decoder.outcome(of: frame.bytes, captureTime: time)
        if let picture { track.deliver(picture, encoded: frame.bytes, isKeyFrame: frame.isKeyFrame) }
        if !decoded.note(outcome, at: now) { buffer.decoderFailed(now: now) }
    }

    func count(into statistics: inout ReceiverStatistics) {
        statistics.codec = "VP8"
        decoded.count(buffer.statistics, since: created, into: &statistics)
        let freezes = buffer.statistics.freezes
        (statistics.freezes, statistics.frozenMilliseconds) =
            track.isPaused ? freezes.closed : freezes.counted(at: lastTurn)
    }
}
