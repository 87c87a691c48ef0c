import RTCCore
import RTCTransport
import RTCWire
import Synchronization

/// One stream of a video track: its encoder on the track's worker, its packets on the peer's event loop.
///
/// A layer that isn't active encodes nothing and sends nothing; its first picture afterwards is a key frame.
// `encoder`, `scaler` and what is marked as the worker's are touched there only; `counters`, `pictureID` and `scratch` on
// the flow's event loop only.
final class VideoLayerSender: @unchecked Sendable {
    let ssrc: UInt32
    /// Empty for the only stream of a track.
    let rid: String
    /// What the encoding says, bits per second; 0 where the source is compressed already.
    let bitrate: Int
    private(set) var counters = SenderCounters()

    private let size: (width: Int, height: Int)?
    private let frameInterval: Interval?
    private let encoder: VP8Encoder?
    private let scaler = VideoScaler()
    private let sealer: FrameSealer?
    private let flow: PeerFlow
    private let firstTimestamp = UInt32.random(in: 0...UInt32.max)
    private let needsKeyFrame = Atomic<Bool>(false)
    private let isKeyFrameRequested = Atomic<Bool>(false)
    /// The worker's.
    private var pacing = KeyFramePacing()
    private let active = Atomic<Bool>(true)
    /// 0 pauses, a negative number means `bitrate`.
    private let target = Atomic<Int>(-1)
    /// The worker's.
    private var appliedTarget = -1
    /// The worker's.
    private var nextDue = Instant.zero
    private var pictureID = UInt16.random(in: 0...0x7fff)
    private var scratch = [UInt8](repeating: 0, count: 2048)

    /// - Parameters:
    ///   - layer: the size and rate of the stream; nil takes the source's and the encoding's bitrate.
    ///   - encoding: nil where pictures come compressed.
    init(
        _ stream: SendStreamConfiguration, layer: VideoLayer?, encoding: VideoEncoding?, sourceRate: Double,
        flow: PeerFlow, sealer: FrameSealer?
    ) throws(MediaError) {
        ssrc = stream.ssrc
        rid = stream.rid?.description ?? ""
        self.flow = flow
        self.sealer = sealer
        size = layer.map { (max(2, $0.width), max(2, $0.height)) }
        bitrate = layer?.bitrate ?? encoding?.bitrate ?? 0
        let rate = min(sourceRate, max(1, layer?.maximumFramesPerSecond ?? sourceRate))
        frameInterval = rate < sourceRate ? .seconds(1 / rate) : nil
        if let encoding {
            var settings = VP8EncoderConfiguration(bitrate: bitrate, frameRate: rate)
            settings.cpuUsed = encoding.cpuUsed
            encoder = try VP8Encoder(settings)
        } else {
            encoder = nil
        }
    }

    // MARK: Wishes, from any thread

    var isActive: Bool { active.load(ordering: .relaxed) }

    func setActive(_ isActive: Bool) {
        if active.exchange(isActive, ordering: .relaxed) != isActive, isActive { needKeyFrame() }
    }

    func needKeyFrame() { needsKeyFrame.store(true, ordering: .relaxed) }

    /// Bits per second from the next picture on; 0 pauses, nil takes the layer's own.
    func setBitrate(_ bitrate: Int?) {
        let wanted = bitrate.map { max(0, $0) } ?? -1
        if target.exchange(wanted, ordering: .relaxed) == 0, wanted != 0 { needKeyFrame() }
    }

    // MARK: On the worker

    /// Whether the layer takes the picture of that time; takes its turn if so.
    func isDue(_ now: Instant) -> Bool {
        guard isActive, target.load(ordering: .relaxed) != 0 else { return false }
        guard let frameInterval else { return true }
        // Sources are pulled with some jitter: a picture that comes a little early is the one that is due.
        guard now + frameInterval * 0.25 >= nextDue else { return false }
        nextDue = max(nextDue + frameInterval, now)
        return true
    }

    /// Encodes a picture at the layer's size.
    /// - Returns: the picture at that size, from which the next smaller layer may be scaled.
    func encode(_ source: VideoFrame, captured: Instant) -> VideoFrame {
        let picture = scaled(source)
        applyTarget()
        let force = takeKeyFrameRequest(now: captured)
        let result = try? encoder?.encode(picture, forceKeyFrame: force) { (Array($0.payload), $0.isKeyFrame) }
        guard let (payload, isKeyFrame) = result else { return picture }
        if isKeyFrame { pacing.made(at: captured) }
        hand(payload, isKeyFrame: isKeyFrame, size: (picture.width, picture.height), captured: captured)
        return picture
    }

    /// Sends the next picture of a source that is compressed already.
    func passOn(from source: any EncodedVideoSource, captured: Instant) {
        if takeKeyFrameRequest(now: captured) {
            source.requestKeyFrame()
            pacing.made(at: captured)
        }
        guard let frame = source.nextFrame(at: MediaTime(nanoseconds: captured.nanoseconds)) else { return }
        hand(frame.payload, isKeyFrame: frame.isKeyFrame, size: (frame.width, frame.height), captured: captured)
    }

    private func takeKeyFrameRequest(now: Instant) -> Bool {
        let isWanted = pacing.wants(
            isNeeded: needsKeyFrame.exchange(false, ordering: .relaxed),
            isRequested: isKeyFrameRequested.load(ordering: .relaxed), now: now)
        if isWanted { isKeyFrameRequested.store(false, ordering: .relaxed) }
        return isWanted
    }

    private func scaled(_ source: VideoFrame) -> VideoFrame {
        guard let size, size.width < source.width || size.height < source.height else { return source }
        return scaler.scale(source, width: min(size.width, source.width), height: min(size.height, source.height))
    }

    private func applyTarget() {
        let wanted = target.load(ordering: .relaxed)
        guard wanted != appliedTarget else { return }
        appliedTarget = wanted
        let rate = wanted < 0 ? bitrate : min(max(wanted, 10_000), max(bitrate, 10_000))
        try? encoder?.setRate(bitrate: rate)
    }

    private func hand(_ payload: [UInt8], isKeyFrame: Bool, size: (Int, Int), captured: Instant) {
        let timestamp = firstTimestamp &+ UInt32(truncatingIfNeeded: captured.nanoseconds / 1000 &* 9 / 100)
        var frame = payload
        if let sealer {
            guard let sealed = sealer.seal(payload, codec: .vp8, timestamp: timestamp) else { return }
            frame = sealed
        }
        let sent = frame
        flow.eventLoop.execute { [self] in
            if send(sent, timestamp: timestamp, captured: captured) {
                counters.frames += 1
                if isKeyFrame { counters.keyFrames += 1 }
                (counters.width, counters.height) = size
            }
        }
    }

    // MARK: On the event loop

    func keyFrameRequested() {
        counters.keyFrameRequests += 1
        isKeyFrameRequested.store(true, ordering: .relaxed)
    }

    func statistics(_ stream: StreamStatistics?) -> LayerStatistics {
        var result = LayerStatistics()
        result.rid = rid
        result.isActive = isActive && target.load(ordering: .relaxed) != 0
        result.width = counters.width
        result.height = counters.height
        result.framesSent = counters.frames
        result.keyFramesSent = counters.keyFrames
        result.keyFrameRequests = counters.keyFrameRequests
        result.packetsSent = stream?.packets ?? 0
        result.bytesSent = stream?.bytes ?? 0
        result.packetsRetransmitted = stream?.retransmitted ?? 0
        return result
    }

    private func send(_ frame: [UInt8], timestamp: UInt32, captured: Instant) -> Bool {
        pictureID = (pictureID + 1) & 0x7fff
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
                            payload: UnsafeRawBufferPointer(rebasing: target[..<(head + fragment.range.count)]),
                            now: now, into: outbox)
                    }
                }
                sent = sequence != nil
            }
        }
        return sent
    }
}
