import NIOCore
import RTCCore
import RTCTransport
import RTCWire

/// Pictures of one remote track: frames are assembled on the session's event loop, decoded and shown on a worker.
// `buffer`, `ssrc` and `timer` are touched on the session's event loop only, `decoder` on `worker` only.
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
    private var decoded = DecodedCounts()

    /// What the decoder has done; brought to the event loop with each picture.
    private struct DecodedCounts: Sendable {
        var frames = 0
        var failures = 0
        var undecryptable = 0
        var first: Instant?
        var width = 0
        var height = 0
    }

    init(
        track: RemoteTrack, encryption: FrameEncryption?, session: SessionCore, worker: any EventLoop, now: Instant
    ) throws(MediaError) {
        self.track = track
        self.encryption = encryption
        self.session = session
        self.worker = worker
        created = now
        decoder = try VP8Decoder()
    }

    func receive(_ packet: ReceivedRTP, payload: UnsafeRawBufferPointer) {
        ssrc = packet.ssrc
        buffer.insert(
            payload, marker: packet.header.marker, timestamp: packet.header.timestamp, sequence: packet.sequence,
            ssrc: packet.ssrc, arrival: packet.arrival)
        drain(now: packet.arrival)
    }

    func update(codecs: [NegotiatedCodec]) {}

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
        guard let gate = FrameGate(track.protection, hasKeys: encryption != nil) else { return refuse() }
        guard case .encrypted(let participant) = gate else { return decode(frame.bytes, of: frame) }
        guard let plain = open(frame, participant) else { return refuse() }
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

    /// A frame that nobody may see, or that our key doesn't open.
    private func refuse() {
        let time = MonotonicClock.now()
        session.eventLoop.execute { [self] in
            decoded.undecryptable += 1
            buffer.decoderFailed(now: time)
            drain(now: time)
        }
    }

    private func decode(_ bytes: UnsafeRawBufferPointer, of frame: AssembledVideoFrame) {
        let sinks = track.present
        let picture = try? decoder.decode(
            bytes, captureTime: MediaTime(nanoseconds: frame.firstArrival.nanoseconds))
        let finished = MonotonicClock.now()
        if let picture {
            for sink in sinks.video { sink.receive(picture) }
            if !sinks.encoded.isEmpty { hand(bytes, frame, picture, to: sinks.encoded) }
        }
        let size = picture.map { ($0.width, $0.height) }
        session.eventLoop.execute { [self] in note(size: size, at: finished) }
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

    private func note(size: (width: Int, height: Int)?, at time: Instant) {
        guard let size else {
            decoded.failures += 1
            buffer.decoderFailed(now: time)
            return drain(now: time)
        }
        decoded.frames += 1
        decoded.first = decoded.first ?? time
        (decoded.width, decoded.height) = size
    }

    func count(into statistics: inout ReceiverStatistics) {
        let counted = buffer.statistics
        statistics.codec = "VP8"
        statistics.framesReceived = counted.framesReceived
        statistics.framesDecoded = decoded.frames
        statistics.framesDropped = counted.framesDropped + decoded.failures
        statistics.framesUndecryptable = decoded.undecryptable
        statistics.freezes = counted.freezes.count
        statistics.firstFrameMilliseconds = decoded.first.map { ($0 - created).milliseconds }
        statistics.width = decoded.width
        statistics.height = decoded.height
    }
}
