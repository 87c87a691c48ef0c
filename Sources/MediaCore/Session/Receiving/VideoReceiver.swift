import RTCCore
import RTCWire

/// Pictures of one remote track: frames are assembled here; a `PictureDecoder` decodes and shows them.
struct VideoReceiver {
    let track: RemoteTrack
    let number: TrackNumber
    private(set) var ssrc: UInt32?
    private let buffer: VideoFrameBuffer
    private let pool: VideoFramePool
    /// Nil where nothing is decoded.
    private let decoder: PictureDecoder?
    private let encryption: FrameEncryption?
    /// Of frames that are recorded and not decoded.
    private var opener: FrameOpener?
    private let created: Instant
    private var decoded = DecodedPictures()
    private var codecs: [NegotiatedCodec]
    private var payloadType: UInt8?
    /// Where the pictures are not VP8.
    private var collector: FrameCollector?
    private var playout: VideoPlayout
    /// A missing packet must not hold frames up for ever: when the buffer wants to be asked again.
    private(set) var nextDeadline = Instant.distantFuture

    init(
        _ track: RemoteTrack, _ number: TrackNumber, codecs: [NegotiatedCodec], encryption: FrameEncryption?,
        reception: MediaReception = .decoded, release: VideoRelease = .decoded, pool: VideoFramePool, now: Instant
    ) throws(MediaError) {
        self.track = track
        self.number = number
        buffer = VideoFrameBuffer(pool: pool)
        self.pool = pool
        self.codecs = codecs
        created = now
        playout = VideoPlayout(release)
        decoder = reception == .decoded ? try PictureDecoder(track, encryption) : nil
        self.encryption = encryption
    }

    /// The line's codecs after another negotiation.
    mutating func update(codecs: [NegotiatedCodec]) { self.codecs = codecs }

    /// A packet of the track; `payload` is valid during the call.
    /// - Returns: a source whose key frame is to be asked for.
    mutating func receive(
        _ packet: ReceivedRTP, payload: UnsafeRawBufferPointer, into work: SessionWork
    ) -> UInt32? {
        ssrc = packet.ssrc
        if packet.header.payloadType != payloadType { takePayloadType(packet.header.payloadType) }
        if collector != nil { return collect(packet, payload, into: work) }
        if let wish = packet.extensions.playoutDelay { playout.timing.note(wish) }
        buffer.insert(
            payload, marker: packet.header.marker, timestamp: packet.header.timestamp, sequence: packet.sequence,
            ssrc: packet.ssrc, isRepaired: packet.isRetransmission, arrival: packet.arrival)
        let wanted = drain(now: packet.arrival, into: work)
        return track.recording.takeKeyFrameRequest() ? ssrc : wanted
    }

    private mutating func takePayloadType(_ number: UInt8) {
        payloadType = number
        let codec = codecs.first { $0.payloadType == number }.flatMap { MediaCodec(sdpName: $0.name) }
        guard let codec, codec.kind == .video, codec != .vp8 else { return collector = nil }
        if collector?.codec != codec { collector = FrameCollector(codec) }
    }

    /// Nothing is put together where nobody decodes or records.
    private mutating func collect(
        _ packet: ReceivedRTP, _ payload: UnsafeRawBufferPointer, into work: SessionWork
    ) -> UInt32? {
        guard decoder != nil || track.recording.isActive.load(ordering: .relaxed) else { return nil }
        guard case .clear = FrameGate(track.protection, hasKeys: false), let codec = collector?.codec else {
            return nil
        }
        collector?.insert(payload, packet.header, sequence: packet.sequence, arrival: packet.arrival)
        while let picture = collector?.nextPicture(now: packet.arrival) {
            guard decoder != nil else {
                record(picture, codec)
                continue
            }
            playout.take(
                AssembledVideoFrame(
                    picture.payload, codec, timestamp: picture.timestamp, isKeyFrame: picture.isKeyFrame,
                    packets: picture.packets, first: picture.arrival, last: picture.lastArrival,
                    order: collector?.pictures ?? 0, pool: pool),
                ready: packet.arrival)
        }
        let wanted = drain(now: packet.arrival, into: work)
        let isWanted = collector?.takeKeyFrameRequest(now: packet.arrival) ?? false
        return track.recording.takeKeyFrameRequest() || isWanted ? packet.ssrc : wanted
    }

    private func record(_ picture: FrameCollector.Picture, _ codec: MediaCodec) {
        picture.payload.withUnsafeBytes {
            track.recording.deliver(
                $0, codec, timestamp: picture.timestamp, isKeyFrame: picture.isKeyFrame, arrival: picture.arrival)
        }
    }

    /// Does what is due; gives a source whose key frame is to be asked for.
    mutating func advance(to now: Instant, into work: SessionWork) -> UInt32? {
        guard nextDeadline <= now else { return nil }
        return drain(now: now, into: work)
    }

    /// A frame has been decoded, or refused; gives a source whose key frame is to be asked for.
    mutating func take(
        _ outcome: DecodedPictures.Outcome, of frame: AssembledVideoFrame, at time: Instant, now: Instant,
        into work: SessionWork
    ) -> UInt32? {
        if let duration = decoder?.duration { playout.timing.note(decoding: duration) }
        if case .picture = outcome { playout.show(frame, ready: time) }
        guard !decoded.note(outcome, isKeyFrame: frame.isKeyFrame, at: time) else { return nil }
        guard frame.codec == .vp8 else {
            collector?.decoderFailed()
            return collector?.takeKeyFrameRequest(now: now) == true ? ssrc : nil
        }
        buffer.decoderFailed(frame, now: time)
        return drain(now: now, into: work)
    }

    private mutating func drain(now: Instant, into work: SessionWork) -> UInt32? {
        if track.isPaused { playout.rendered.expectPause() }
        while let frame = buffer.nextFrame(now: now) {
            playout.take(frame, ready: now)
            buffer.waits.adapt(roundTrip: playout.roundTrip, playoutDelay: playout.timing.currentDelay)
        }
        while let frame = playout.next(at: now) {
            guard let decoder else {
                playout.show(frame, ready: now)
                record(frame)
                continue
            }
            work.jobs.append(
                MediaJob(lane: .pictures(number.serial), track: number, work: .decodePicture(decoder, frame)))
        }
        let isWanted = buffer.takeKeyFrameRequest(now: now)
        // Not at once: what the buffer waits for is worth a millisecond.
        nextDeadline = buffer.nextDeadline(after: now).map { max($0, now + .milliseconds(1)) } ?? .distantFuture
        nextDeadline = min(nextDeadline, playout.nextDeadline)
        return isWanted ? ssrc : nil
    }

    /// Where nothing is decoded. No key is searched for: what doesn't open is left out.
    private mutating func record(_ frame: AssembledVideoFrame) {
        guard track.recording.isActive.load(ordering: .relaxed),
            let gate = FrameGate(track.protection, hasKeys: encryption != nil)
        else { return }
        guard case .encrypted(let participant) = gate, let encryption else {
            return track.recording.deliver(frame.bytes, of: frame)
        }
        let opener = self.opener ?? FrameOpener(encryption, participant: participant, codec: .vp8)
        self.opener = opener
        switch opener.open(frame.bytes) {
        case .opened(let plain), .injected(let plain):
            plain.withUnsafeBytes { track.recording.deliver($0, of: frame) }
        case .noKey, .failed: break
        }
    }

    func count(into statistics: inout ReceiverStatistics, now: Instant) {
        let counted = buffer.statistics
        let codec = codecs.first { $0.payloadType == payloadType } ?? codecs.first
        statistics.codec = codec?.name ?? ""
        decoded.count(counted, since: created, into: &statistics)
        statistics.framesReceived += collector?.pictures ?? 0
        let rendered = playout.rendered.settled(at: now)
        (statistics.freezes, statistics.frozenMilliseconds) =
            track.isPaused ? rendered.freezes.closed : rendered.freezes.counted(at: now)
        statistics.rendering.keyFramesDecoded = decoded.keyFrames
        statistics.rendering.totalDecodeTime = decoder?.totalDuration.seconds ?? 0
        playout.count(rendered, into: &statistics)
    }

    /// A sender has told its clock; what a packet takes there and back is known by then, or not.
    mutating func note(_ clock: SenderClock, roundTrip: Interval?) {
        playout.clock.report = clock
        playout.roundTrip = roundTrip
    }

    /// Takes in how long after its capture the sender's sound is played.
    /// - Returns: how long sound has to wait for pictures, where that changes.
    mutating func synchronize(with sound: SoundLag, at now: Instant) -> Interval? {
        playout.synchronize(with: sound, at: now) ? playout.sync.audioDelay : nil
    }
}
