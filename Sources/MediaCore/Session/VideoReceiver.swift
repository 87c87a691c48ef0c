import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// Pictures of one remote track: frames are assembled on the session's event loop, decoded and shown on a worker.
// `decoder`, `opener` and `timeline` are touched on `worker` only, all else that changes on the session's event loop.
final class VideoReceiver: TrackReceiver, @unchecked Sendable {
    let track: RemoteTrack
    private(set) var ssrc: UInt32?
    private let buffer = VideoFrameBuffer()
    private let decoder: VP8Decoder
    private let encryption: FrameEncryption?
    /// The worker's.
    private var opener: FrameOpener?
    private let worker: any EventLoop
    private unowned let session: SessionCore
    private let created: Instant
    private var timer: Scheduled<Void>?
    private var decoded = DecodedPictures()
    private var codecs: [NegotiatedCodec]
    private var payloadType: UInt8?
    /// The worker's.
    private var timeline = CaptureTimeline()

    init(
        track: RemoteTrack, codecs: [NegotiatedCodec], encryption: FrameEncryption?, session: SessionCore,
        worker: any EventLoop, now: Instant
    ) throws(MediaError) {
        self.track = track
        self.codecs = codecs
        self.encryption = encryption
        self.session = session
        self.worker = worker
        created = now
        decoder = try VP8Decoder()
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        ssrc = packet.ssrc
        payloadType = packet.header.payloadType
        buffer.insert(
            payload, marker: packet.header.marker, timestamp: packet.header.timestamp, sequence: packet.sequence,
            ssrc: packet.ssrc, arrival: packet.arrival)
        drain(now: packet.arrival)
    }

    func update(codecs: [NegotiatedCodec]) { self.codecs = codecs }

    /// Stops the timer; nothing is decoded any more.
    func close() { timer?.cancel() }

    private func drain(now: Instant) {
        if track.isPaused { buffer.expectPause() }
        while let frame = buffer.nextFrame(now: now) {
            worker.execute { [self] in decode(frame) }
        }
        if buffer.takeKeyFrameRequest(now: now), let ssrc { session.requestKeyFrame(ssrc: ssrc) }
        schedule(now: now)
    }

    /// A missing packet must not hold frames up for ever: the buffer says when it wants to be asked again.
    private func schedule(now: Instant) {
        guard timer == nil, let deadline = buffer.nextDeadline(after: now) else { return }
        let wait = max(1_000_000, deadline.nanoseconds - now.nanoseconds)
        timer = session.eventLoop.scheduleTask(in: .nanoseconds(wait)) { [weak self] in
            self?.timer = nil
            self?.drain(now: MonotonicClock.now())
        }
    }

    private func decode(_ frame: AssembledVideoFrame) {
        guard let gate = FrameGate(track.protection, hasKeys: encryption != nil) else {
            return finish(frame, track.protection == .unknown ? .held : .undecryptable)
        }
        guard case .encrypted(let participant) = gate else { return decode(frame.bytes, of: frame) }
        guard let plain = open(frame, participant) else { return finish(frame, .undecryptable) }
        plain.withUnsafeBytes { decode($0, of: frame) }
    }

    private func open(_ frame: AssembledVideoFrame, _ participant: String) -> [UInt8]? {
        guard let encryption else { return nil }
        let opener = self.opener ?? FrameOpener(encryption, participant: participant, codec: .vp8)
        self.opener = opener
        switch opener.open(frame.bytes) {
        case .opened(let plain), .injected(let plain): return plain
        case .noKey: return nil
        case .failed:
            guard opener.maySearch(now: MonotonicClock.now()) else { return nil }
            return opener.search(Array(frame.bytes))()
        }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, of frame: AssembledVideoFrame) {
        let sinks = track.present
        let time = timeline.time(of: frame.timestamp, arrival: frame.firstArrival)
        let (picture, outcome) = decoder.outcome(of: bytes, captureTime: time)
        if let picture {
            for sink in sinks.video { sink.receive(picture) }
            if !sinks.encoded.isEmpty, !picture.isFiller { hand(bytes, frame, picture, to: sinks.encoded) }
        }
        finish(frame, outcome)
    }

    /// Brings a frame's outcome to the event loop.
    private func finish(_ frame: AssembledVideoFrame, _ outcome: DecodedPictures.Outcome) {
        let time = MonotonicClock.now()
        session.eventLoop.execute { [self] in
            guard !decoded.note(outcome, at: time) else { return }
            buffer.decoderFailed(frame, now: time)
            drain(now: time)
        }
    }

    private func hand(
        _ bytes: UnsafeRawBufferPointer, _ frame: AssembledVideoFrame, _ picture: VideoFrame,
        to sinks: [any EncodedVideoSink]
    ) {
        let encoded = EncodedVideoFrame(
            payload: Array(bytes), isKeyFrame: frame.isKeyFrame, width: picture.width, height: picture.height,
            captureTime: picture.captureTime)
        for sink in sinks { sink.receive(encoded) }
    }

    func count(into statistics: inout ReceiverStatistics) {
        let counted = buffer.statistics
        let codec = codecs.first { $0.payloadType == payloadType } ?? codecs.first
        statistics.codec = codec?.name ?? ""
        decoded.count(counted, since: created, into: &statistics)
        let now = MonotonicClock.now()
        let freezes = counted.freezes
        (statistics.freezes, statistics.frozenMilliseconds) =
            track.isPaused ? freezes.closed : freezes.counted(at: now)
    }
}
