import RTCCore
import RTCWire

/// One stream of a video track on its way to the peer: which pictures it takes, which of them are key frames, and their
/// packets.
///
/// A stream that isn't active encodes nothing and sends nothing; its first picture afterwards is a key frame.
struct VideoLayerSender {
    let ssrc: UInt32
    /// Empty for the only stream of a track.
    let rid: String
    private let codec: VideoCodec
    /// What the encoding says, bits per second; 0 where the source is compressed already.
    let bitrate: Int
    private(set) var isActive = true
    /// Between two pictures, on average.
    private let interval: Interval
    /// Every picture of the source is taken.
    private let takesAll: Bool
    private var nextDue = Instant.zero
    /// Bits per second, 0 pauses; nil takes the stream's own.
    private var target: Int?
    private var budget = PictureBudget()
    private var scaler: QualityScaler
    /// Smaller and fewer pictures are made where the rate doesn't suffice: of the only stream of a track. With others that
    /// is what these are for.
    private let isScaled: Bool
    /// Pictures are left out where the encoder makes too much.
    var keepsRate = false
    private var keyFrames: KeyFrameWish
    private var counters = SenderCounters()
    private var pictureID: UInt16
    /// What is being made, of what share of the full width and height.
    private var making = 1.0
    /// It was ordered before the stream began anew, and is not to be sent: nothing that it is built on will come.
    private var isStale = false

    /// - Parameters:
    ///   - frameRate: pictures a second.
    ///   - takesAll: that is every picture of the source.
    ///   - isOnly: the track has no other stream.
    ///   - asksSource: the source makes key frames itself: to ask it is all that can be done.
    ///   - preference: what is given up first.
    init(
        _ stream: SendStreamConfiguration, codec: VideoCodec, bitrate: Int, frameRate: Double, takesAll: Bool,
        isOnly: Bool, asksSource: Bool, preference: DegradationPreference, firstPictureID: UInt16
    ) {
        ssrc = stream.ssrc
        rid = stream.rid?.description ?? ""
        self.codec = codec
        self.bitrate = bitrate
        interval = .seconds(1 / max(1, frameRate))
        self.takesAll = takesAll
        isScaled = isOnly && !asksSource
        scaler = QualityScaler(preference, frameRate: frameRate)
        keyFrames = KeyFrameWish(asksSource: asksSource)
        pictureID = firstPictureID & 0x7fff
    }

    // MARK: Wishes

    mutating func setActive(_ wanted: Bool) {
        if wanted, !isActive { keyFrames.need() }
        isActive = wanted
    }

    mutating func needKeyFrame() { keyFrames.need() }

    /// What was sent so far will not all come: the next picture is a key frame, of a size that the rate suffices for.
    mutating func beginAnew(now: Instant) {
        keyFrames.need()
        budget.forgive()
        isStale = true
        if isScaled, keepsRate, let target { scaler.fit(target, own: bitrate, now: now) }
    }

    /// Whether the rate doesn't suffice for the size of its pictures, and there is a smaller one.
    var isTooLarge: Bool {
        guard isScaled, keepsRate, let target else { return false }
        return scaler.isTooLarge(for: target, own: bitrate)
    }

    /// Bits per second from the next picture on; 0 pauses, nil takes the stream's own.
    mutating func setBitrate(_ bitrate: Int?) {
        let wanted = bitrate.map { max(0, $0) }
        if target == 0, wanted != 0 { keyFrames.need() }
        target = wanted
    }

    mutating func keyFrameRequested() {
        counters.keyFrameRequests += 1
        keyFrames.request()
    }

    // MARK: Pictures

    /// What is to be done with the picture of that time; nil where the stream doesn't take it.
    mutating func order(_ index: Int, now: Instant) -> VideoOrder.Layer? {
        guard isActive, target != 0 else { return nil }
        let limit = keepsRate ? target : nil
        if isScaled { scaler.advance(rate: limit, own: bitrate, now: now) }
        guard takesTurn(now) else { return nil }
        guard !budget.skips(rate: limit, own: bitrate, now: now) else {
            scaler.noteSkipped()
            return nil
        }
        (making, isStale) = (scaler.step.size, false)
        return VideoOrder.Layer(
            index: index, isKeyFrame: keyFrames.take(now: now), bitrate: target, step: scaler.step)
    }

    private mutating func takesTurn(_ now: Instant) -> Bool {
        let share = scaler.step.pictures
        guard !takesAll || share < 1 else { return true }
        let interval = share < 1 ? interval * (1 / share) : interval
        // Sources are pulled with some jitter: a picture that comes a little early is the one that is due.
        guard now + interval * 0.25 >= nextDue else { return false }
        nextDue = max(nextDue + interval, now)
        return true
    }

    /// The job has come back; `picture` is what it made for this stream.
    mutating func finish(_ picture: EncodedPicture?) {
        let picture = isStale ? nil : picture
        keyFrames.finish(picture.map(\.isKeyFrame), at: picture?.captured)
    }

    // MARK: Packets

    mutating func send(_ picture: EncodedPicture, by peer: inout Peer, now: Instant, into outbox: Outbox) {
        guard !isStale else { return }
        pictureID = (pictureID + 1) & 0x7fff
        budget.note(bytes: picture.payload.count)
        // The step may be another one by now.
        let pixels = Double(picture.width * picture.height) / (making * making)
        scaler.note(quantizer: picture.quantizer, pixels: pixels)
        let way = PictureSending(picture, codec: codec, pictureID: pictureID, ssrc: ssrc, now: now)
        guard way.send(by: &peer, into: outbox) else { return }
        counters.frames += 1
        if picture.isKeyFrame { counters.keyFrames += 1 }
        (counters.width, counters.height) = (picture.width, picture.height)
    }

    func statistics(_ stream: StreamStatistics?) -> LayerStatistics {
        var result = LayerStatistics()
        result.rid = rid
        result.isActive = isActive && target != 0
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
}

/// What a stream's pipeline counts beside its RTP stream.
private struct SenderCounters {
    var frames = 0
    var keyFrames = 0
    var keyFrameRequests = 0
    var width = 0
    var height = 0
}

/// Which pictures of a stream are to be key frames, and whether one is on its way. A value.
private struct KeyFrameWish {
    private let asksSource: Bool
    private var pacing = KeyFramePacing()
    /// Nothing before it can be decoded by anybody.
    private var isNeeded = false
    /// The other side has asked.
    private var isRequested = false
    /// The picture that is being made is to be one.
    private var isOrdered = false

    init(asksSource: Bool) { self.asksSource = asksSource }

    mutating func need() { isNeeded = true }

    mutating func request() { isRequested = true }

    /// Whether the picture of `now` is to be one.
    mutating func take(now: Instant) -> Bool {
        isOrdered = pacing.wants(isNeeded: isNeeded, isRequested: isRequested, now: now)
        guard isOrdered else { return false }
        isNeeded = false
        isRequested = false
        if asksSource { pacing.made(at: now) }
        return true
    }

    /// The picture was made, or none came of it: then the wish is still open.
    mutating func finish(_ isKeyFrame: Bool?, at time: Instant?) {
        defer { isOrdered = false }
        guard !asksSource else { return }
        if isKeyFrame == true, let time {
            pacing.made(at: time)
        } else if isOrdered {
            isNeeded = true
        }
    }
}
