import NIOCore
import RTCCore
import RTCTransport
import RTCWire
import Synchronization

/// Pulls a video source at its frame rate on a worker, has every active layer encode the picture, and hands packets to
/// the peer on its event loop.
// `input`, `wasMuted` and `nextIndex` are touched on `worker` only; `layers` say for themselves what is touched where.
final class VideoSender: TrackSender, @unchecked Sendable {
    let track: LocalTrack
    private let input: VideoInput
    /// The largest first, so that each can be scaled from the one before.
    private let layers: [VideoLayerSender]
    private let worker: any EventLoop
    private let wakes: WakeMeter
    private var pump: PeriodicPump?
    private var wasMuted = false
    private var nextIndex = 0
    /// Pictures that were not made because the machine was too slow.
    private let skipped = Atomic<Int>(0)

    /// - Parameter streams: what was negotiated; one without a rid, or some of the encoding's layers.
    init(
        track: LocalTrack, streams: [SendStreamConfiguration], flow: PeerFlow, worker: any EventLoop, wakes: WakeMeter,
        sealer: (UInt32) -> FrameSealer? = { _ in nil }
    ) throws {
        self.track = track
        self.worker = worker
        self.wakes = wakes
        let input = try VideoInput(track.media)
        self.input = input
        let encoding = input.encoding
        layers = try streams.map { stream in
            try VideoLayerSender(
                stream, layer: encoding?.layer(rid: stream.rid?.description), encoding: encoding,
                sourceRate: input.frameRate, flow: flow, sealer: sealer(stream.ssrc))
        }
    }

    var ssrcs: [UInt32] { layers.map(\.ssrc) }

    func start() {
        let interval = Interval.seconds(1 / max(1, min(240, input.frameRate)))
        let pump = PeriodicPump(loop: worker, interval: interval, backlog: input.backlog, meter: wakes) {
            [weak self] index, time in
            self?.countSkipped(before: index)
            self?.tick(time: time)
        }
        self.pump = pump
        // Many senders on one machine must not all encode at the same moment.
        pump.start(phase: interval * Double((ssrcs.first ?? 0) % 16) * (1.0 / 16))
    }

    func stop() { pump?.stop() }

    func keyFrameRequested(ssrc: UInt32) {
        for layer in layers where layer.ssrc == ssrc { layer.keyFrameRequested() }
    }

    func setActiveLayers(_ rids: Set<String>) {
        for layer in layers { layer.setActive(rids.contains(layer.rid)) }
    }

    /// Shares the bits out from the smallest layer up; one that would get too little for its size pauses.
    func setTargetBitrate(_ bitrate: Int?) {
        guard input.encoding != nil else { return }
        guard let bitrate else {
            for layer in layers { layer.setBitrate(nil) }
            return
        }
        let shares = BitrateShares.share(max(0, bitrate), among: layers.reversed().map { ($0.bitrate, $0.isActive) })
        for (layer, share) in zip(layers.reversed(), shares) { layer.setBitrate(share) }
    }

    private func countSkipped(before index: Int) {
        skipped.wrappingAdd(index - nextIndex, ordering: .relaxed)
        nextIndex = index + 1
    }

    private func tick(time: Instant) {
        let due = MediaTime(nanoseconds: time.nanoseconds)
        if track.isMuted {
            wasMuted = true
            return input.skip(at: due)
        }
        if wasMuted {
            for layer in layers { layer.needKeyFrame() }
            wasMuted = false
        }
        // Stamped with the present and not with the time that was due: latency counts from here.
        let now = MonotonicClock.now()
        switch input {
        case .raw(let source, _):
            guard var picture = source.nextFrame(at: MediaTime(nanoseconds: now.nanoseconds)) else { return }
            for layer in layers where layer.isDue(now) { picture = layer.encode(picture, captured: now) }
        case .encoded(let source):
            guard let layer = layers.first else { return }
            guard layer.isDue(now) else { return input.skip(at: due) }
            layer.passOn(from: source, captured: now)
        }
    }

    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?) {
        statistics.framesSkipped = skipped.load(ordering: .relaxed)
        for layer in layers {
            let counted = layer.statistics(stream(layer.ssrc))
            statistics.framesSent = max(statistics.framesSent, counted.framesSent)
            statistics.keyFrameRequests += counted.keyFrameRequests
            statistics.packetsSent += counted.packetsSent
            statistics.bytesSent += counted.bytesSent
            statistics.packetsRetransmitted += counted.packetsRetransmitted
            statistics.layers.append(counted)
        }
    }
}

/// Where a video sender's pictures come from: a source for our encoders, or one that is compressed already.
enum VideoInput {
    case raw(any VideoSource, VideoEncoding)
    case encoded(any EncodedVideoSource)

    init(_ media: LocalTrack.Media) throws(MediaError) {
        switch media {
        case .video(let source, let encoding): self = .raw(source, encoding)
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

    /// Nil where the source is compressed already.
    var encoding: VideoEncoding? {
        if case .raw(_, let encoding) = self { encoding } else { nil }
    }

    var frameRate: Double {
        switch self {
        case .raw(let source, _): source.frameRate
        case .encoded(let source): source.frameRate
        }
    }

    /// Ticks that are made up for after a stall. A late picture isn't worth its encoding; one that is compressed already
    /// must not be left out, or those after it don't decode.
    var backlog: Int { encoding == nil ? PeriodicPump.usualBacklog : 0 }

    /// Lets a picture's time go by.
    func skip(at time: MediaTime) {
        switch self {
        case .raw(let source, _): _ = source.nextFrame(at: time)
        case .encoded(let source): _ = source.nextFrame(at: time)
        }
    }
}
