import MediaCore
import RTCCore
import RTCWire

/// A local track in a simulation: its source is read in virtual time, encoded for real, and cut into RTP packets.
protocol FakeSender: AnyObject {
    var track: LocalTrack { get }
    /// Between two turns.
    var interval: Interval { get }
    /// Reads the source once and sends what it gave through `send`, unless the track is muted.
    func turn(now: Instant, maximumPayload: Int, send: (FakePacket) -> Void)
    func keyFrameRequested()
    func count(into statistics: inout SenderStatistics)
}

/// One RTP payload and what its header says.
struct FakePacket {
    var payload: [UInt8]
    var timestamp: UInt32
    var marker = false
    var level: AudioLevel?
}

/// Sound: a frame of Opus every 20 ms.
final class FakeAudioSender: FakeSender {
    let track: LocalTrack
    let interval = Interval.milliseconds(20)
    private let source: any AudioSource
    private let encoder: OpusEncoder
    private var frame: AudioFrame
    private var timestamp: UInt32 = 0
    private var frames = 0

    init(_ track: LocalTrack, _ source: any AudioSource, _ encoding: AudioEncoding) throws(MediaError) {
        self.track = track
        self.source = source
        var settings = OpusEncoderConfiguration(channels: source.channels, bitrate: encoding.bitrate)
        settings.complexity = encoding.complexity
        settings.inbandFEC = encoding.inbandFEC
        encoder = try OpusEncoder(settings)
        frame = AudioFrame(silence: settings.frameCount, channels: source.channels)
    }

    func turn(now: Instant, maximumPayload: Int, send: (FakePacket) -> Void) {
        _ = source.read(into: &frame)
        defer { timestamp &+= UInt32(encoder.configuration.frameCount) }
        guard !track.isMuted else { return }
        let level = frame.samples.withUnsafeBufferPointer { PCMLevel.level($0) }
        var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
        let length = frame.samples.withUnsafeBufferPointer { samples in
            packet.withUnsafeMutableBytes { (try? encoder.encode(samples, into: $0)) ?? 0 }
        }
        guard length > 0, length <= maximumPayload else { return }
        frames += 1
        send(
            FakePacket(
                payload: Array(packet[..<length]), timestamp: timestamp,
                level: AudioLevel(level: level, voice: level < 60)))
    }

    func keyFrameRequested() {}

    func count(into statistics: inout SenderStatistics) {
        statistics.codec = "opus"
        statistics.framesSent = frames
    }
}

/// Pictures: VP8, in as many packets as it takes.
final class FakeVideoSender: FakeSender {
    let track: LocalTrack
    let interval: Interval
    private let next: (MediaTime, _ forceKeyFrame: Bool) -> (payload: [UInt8], isKeyFrame: Bool)?
    private var needsKeyFrame = true
    private var pictureID: UInt16 = 0
    private var frames = 0
    private var keyFrameRequests = 0

    init(_ track: LocalTrack, _ source: any VideoSource, _ encoding: VideoEncoding) throws(MediaError) {
        self.track = track
        interval = .seconds(1 / max(1, source.frameRate))
        // One size only: a simulcast's largest.
        let bitrate = encoding.layers.map(\.bitrate).max() ?? encoding.bitrate
        let encoder = try VP8Encoder(VP8EncoderConfiguration(bitrate: bitrate, frameRate: source.frameRate))
        next = { time, force in
            guard let picture = source.nextFrame(at: time) else { return nil }
            return try? encoder.encode(picture, forceKeyFrame: force) { (Array($0.payload), $0.isKeyFrame) }
        }
    }

    init(_ track: LocalTrack, encoded source: any EncodedVideoSource) throws(MediaError) {
        guard source.codecName.uppercased() == "VP8" else {
            throw MediaError(
                .unsupported, "video source", "its codec \(source.codecName) can't be sent", remedy: "use VP8")
        }
        self.track = track
        interval = .seconds(1 / max(1, source.frameRate))
        next = { time, force in
            if force { source.requestKeyFrame() }
            return source.nextFrame(at: time).map { ($0.payload, $0.isKeyFrame) }
        }
    }

    func turn(now: Instant, maximumPayload: Int, send: (FakePacket) -> Void) {
        let force = needsKeyFrame && !track.isMuted
        guard let frame = next(MediaTime(nanoseconds: now.nanoseconds), force), !track.isMuted else { return }
        if force, frame.isKeyFrame { needsKeyFrame = false }
        frames += 1
        pictureID = (pictureID + 1) & 0x7fff
        var descriptor = VP8PayloadDescriptor()
        descriptor.pictureID = pictureID
        let timestamp = UInt32(truncatingIfNeeded: now.nanoseconds / 1000 &* 9 / 100)
        let fragments = VP8Packetizer(
            frameLength: frame.payload.count, maximumPayload: maximumPayload,
            descriptorLength: descriptor.encodedLength)
        for fragment in fragments {
            descriptor.startsPartition = fragment.isFirst
            var payload = [UInt8](repeating: 0, count: VP8PayloadDescriptor.maximumLength)
            let head = payload.withUnsafeMutableBytes { descriptor.write(into: $0) }
            payload = Array(payload[..<head]) + frame.payload[fragment.range]
            send(FakePacket(payload: payload, timestamp: timestamp, marker: fragment.isLast))
        }
    }

    func keyFrameRequested() {
        needsKeyFrame = true
        keyFrameRequests += 1
    }

    func count(into statistics: inout SenderStatistics) {
        statistics.codec = "VP8"
        statistics.framesSent = frames
        statistics.keyFrameRequests = keyFrameRequests
    }
}
