import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import Synchronization

/// Pulls a video source at its frame rate on a worker, encodes with VP8, and hands packets to the peer on its event loop.
// `encoder` and `source` are touched on `worker` only; `pictureID` and `counters` on the flow's event loop only.
final class VideoSender: TrackSender, @unchecked Sendable {
    let track: LocalTrack
    let ssrc: UInt32
    private let input: VideoInput
    private let worker: any EventLoop
    private let flow: PeerFlow
    private var pump: PeriodicPump?
    private let needsKeyFrame = Atomic<Bool>(false)
    private let firstTimestamp = UInt32.random(in: 0...UInt32.max)
    private var wasMuted = false
    private var pictureID = UInt16.random(in: 0...0x7fff)
    private var scratch = [UInt8](repeating: 0, count: 2048)
    private(set) var counters = SenderCounters()

    init(track: LocalTrack, input: VideoInput, ssrc: UInt32, flow: PeerFlow, worker: any EventLoop) {
        self.track = track
        self.input = input
        self.ssrc = ssrc
        self.flow = flow
        self.worker = worker
    }

    func start() {
        let interval = Interval.seconds(1 / max(1, min(240, input.frameRate)))
        let pump = PeriodicPump(loop: worker, interval: interval) { [weak self] _, time in self?.tick(time: time) }
        self.pump = pump
        // Many senders on one machine must not all encode at the same moment.
        pump.start(phase: interval * Double(ssrc % 16) * (1.0 / 16))
    }

    func stop() { pump?.stop() }

    func keyFrameRequested() {
        counters.keyFrameRequests += 1
        needsKeyFrame.store(true, ordering: .relaxed)
    }

    private func tick(time: Instant) {
        if track.isMuted {
            wasMuted = true
            input.skip(at: MediaTime(nanoseconds: time.nanoseconds))
            return
        }
        let force = needsKeyFrame.exchange(false, ordering: .relaxed) || wasMuted
        wasMuted = false
        // Stamped with the present and not with the time that was due: latency counts from here.
        let now = MonotonicClock.now()
        guard let payload = input.encode(at: MediaTime(nanoseconds: now.nanoseconds), forceKeyFrame: force) else {
            return
        }
        flow.eventLoop.execute { [self] in send(payload, captured: now) }
    }

    private func send(_ frame: [UInt8], captured: Instant) {
        pictureID = (pictureID + 1) & 0x7fff
        let timestamp = firstTimestamp &+ UInt32(truncatingIfNeeded: captured.nanoseconds / 1000 &* 9 / 100)
        var descriptor = VP8PayloadDescriptor()
        descriptor.pictureID = pictureID
        var sent = false
        flow.perform { peer, outbox, now in
            let fragments = VP8Packetizer(
                frameLength: frame.count, maximumPayload: min(scratch.count, peer.maximumPayload(ssrc: ssrc)),
                descriptorLength: descriptor.encodedLength)
            for fragment in fragments {
                descriptor.startsPartition = fragment.isFirst
                let sequence = frame.withUnsafeBytes { bytes in
                    scratch.withUnsafeMutableBytes { target in
                        let head = descriptor.write(into: target)
                        UnsafeMutableRawBufferPointer(rebasing: target[head...])
                            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[fragment.range]))
                        return peer.send(
                            ssrc: ssrc, marker: fragment.isLast, timestamp: timestamp, captured: captured,
                            extensions: RTPExtensions(),
                            payload: UnsafeRawBufferPointer(rebasing: target[..<(head + fragment.range.count)]),
                            now: now,
                            into: outbox)
                    }
                }
                sent = sequence != nil
            }
        }
        if sent { counters.frames += 1 }
    }
}

/// Where a video sender's compressed pictures come from: a source and our encoder, or a source that is compressed already.
enum VideoInput {
    case raw(any VideoSource, VP8Encoder)
    case encoded(any EncodedVideoSource)

    init(_ media: LocalTrack.Media) throws(MediaError) {
        switch media {
        case .video(let source, let encoding):
            var settings = VP8EncoderConfiguration(bitrate: encoding.bitrate, frameRate: source.frameRate)
            settings.cpuUsed = encoding.cpuUsed
            self = .raw(source, try VP8Encoder(settings))
        case .encodedVideo(let source):
            guard source.codecName.uppercased() == "VP8" else {
                throw MediaError(
                    .unsupported, "video source", "its codec \(source.codecName) can't be sent", remedy: "use VP8")
            }
            self = .encoded(source)
        case .audio:
            throw MediaError(.argument, "video track", "its media is audio", remedy: "publish it as audio")
        }
    }

    var frameRate: Double {
        switch self {
        case .raw(let source, _): source.frameRate
        case .encoded(let source): source.frameRate
        }
    }

    /// The next picture, compressed; nil when the source has ended or the picture can't be encoded.
    func encode(at time: MediaTime, forceKeyFrame: Bool) -> [UInt8]? {
        switch self {
        case .raw(let source, let encoder):
            guard let frame = source.nextFrame(at: time) else { return nil }
            return try? encoder.encode(frame, forceKeyFrame: forceKeyFrame) { Array($0.payload) }
        case .encoded(let source):
            if forceKeyFrame { source.requestKeyFrame() }
            return source.nextFrame(at: time)?.payload
        }
    }

    /// Lets a picture's time go by.
    func skip(at time: MediaTime) {
        switch self {
        case .raw(let source, _): _ = source.nextFrame(at: time)
        case .encoded(let source): _ = source.nextFrame(at: time)
        }
    }
}
