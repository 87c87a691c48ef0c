import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// Pulls an audio source every 20 ms on a worker, encodes, and hands packets to the peer on its event loop.
// `encoder`, `timestamp` and `frame` are touched on `worker` only, `counters` on the flow's event loop only.
final class AudioSender: TrackSender, @unchecked Sendable {
    private static let frameInterval = Interval.milliseconds(20)

    let track: LocalTrack
    let ssrc: UInt32
    private let source: any AudioSource
    private let encoder: OpusEncoder
    private let worker: any EventLoop
    private let flow: PeerFlow
    private var frame: AudioFrame
    private var packet = [UInt8](repeating: 0, count: OpusEncoder.maximumPacketSize)
    private var pump: PeriodicPump?
    private let firstTimestamp: UInt32
    private(set) var counters = SenderCounters()

    init(
        track: LocalTrack, source: any AudioSource, encoding: AudioEncoding, ssrc: UInt32, flow: PeerFlow,
        worker: any EventLoop
    ) throws(MediaError) {
        self.track = track
        self.source = source
        self.ssrc = ssrc
        self.flow = flow
        self.worker = worker
        var settings = OpusEncoderConfiguration(channels: source.channels, bitrate: encoding.bitrate)
        settings.complexity = encoding.complexity
        settings.inbandFEC = encoding.inbandFEC
        settings.dtx = encoding.dtx
        encoder = try OpusEncoder(settings)
        frame = AudioFrame(silence: settings.frameCount, channels: source.channels)
        firstTimestamp = .random(in: 0...UInt32.max)
    }

    func start() {
        let pump = PeriodicPump(loop: worker, interval: AudioSender.frameInterval) { [weak self] index, time in
            self?.tick(index: index, time: time)
        }
        self.pump = pump
        pump.start()
    }

    func stop() { pump?.stop() }

    func keyFrameRequested() {}

    private func tick(index: Int, time: Instant) {
        _ = source.read(into: &frame)
        guard !track.isMuted else { return }
        let level = frame.samples.withUnsafeBufferPointer { PCMLevel.level($0) }
        let length = frame.samples.withUnsafeBufferPointer { samples in
            packet.withUnsafeMutableBytes { (try? encoder.encode(samples, into: $0)) ?? 0 }
        }
        // With DTX, two bytes or fewer say that there is nothing worth sending.
        guard length > (encoder.configuration.dtx ? 2 : 0) else { return }
        let payload = Array(packet[..<length])
        let timestamp = firstTimestamp &+ UInt32(truncatingIfNeeded: index) &* UInt32(encoder.configuration.frameCount)
        flow.eventLoop.execute { [self] in
            send(payload, timestamp: timestamp, level: level, captured: time)
        }
    }

    private func send(_ payload: [UInt8], timestamp: UInt32, level: UInt8, captured: Instant) {
        var extensions = RTPExtensions()
        extensions.audioLevel = AudioLevel(level: level, voice: level < 60)
        flow.perform { peer, outbox, now in
            payload.withUnsafeBytes {
                let sent = peer.send(
                    ssrc: ssrc, marker: false, timestamp: timestamp, captured: captured, extensions: extensions,
                    payload: $0, now: now, into: outbox)
                if sent != nil { counters.frames += 1 }
            }
        }
    }
}

/// What a sender counts beside its RTP stream.
struct SenderCounters {
    var frames = 0
    var skipped = 0
    var keyFrameRequests = 0
}

/// A local track on its way to the peer.
protocol TrackSender: AnyObject, Sendable {
    var track: LocalTrack { get }
    var ssrc: UInt32 { get }
    var counters: SenderCounters { get }
    func start()
    func stop()
    func keyFrameRequested()
}
