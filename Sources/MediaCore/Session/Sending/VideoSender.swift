import RTCCore
import RTCWire

/// The pictures of one local track on their way to the peer: when they are due, which streams take them, and their packets.
/// A `VideoCoder` pulls and encodes them.
struct VideoSender {
    let track: LocalTrack
    let number: TrackNumber
    private let coder: VideoCoder
    /// The largest first.
    private var layers: [VideoLayerSender]
    private let isEncoding: Bool
    private let interval: Interval
    private let backlog: Int
    private var schedule: TickSchedule
    /// The coder has a job whose result has not come back.
    private var isBusy = false
    private var wasMuted = false
    /// Bits per second that the owner, and the path, allow; nil for no limit.
    private var limit: Int?
    private var share: Int?
    private var nextIndex = 0
    /// Pictures that were not made because the machine was too slow.
    private var skipped = 0

    /// - Parameters:
    ///   - codec: what was negotiated; of pictures that are compressed already, their own.
    ///   - streams: what was negotiated; one without a rid, or some of the encoding's layers.
    init(
        _ track: LocalTrack, _ number: TrackNumber, codec: VideoCodec = .vp8, streams: [SendStreamConfiguration],
        now: Instant,
        using random: inout PeerRandom, sealer: (UInt32) -> FrameSealer?
    ) throws(MediaError) {
        self.track = track
        self.number = number
        let input = try VideoInput(track.media)
        var encoding = input.encoding
        encoding?.codec = codec
        isEncoding = encoding != nil
        let rate = max(1, min(240, input.frameRate))
        let preference = encoding?.degradationPreference ?? (track.isScreen ? .maintainResolution : .balanced)
        var coders: [LayerCoder] = []
        layers = []
        for stream in streams {
            let layer = input.layer(rid: stream.rid?.description)
            let own = min(input.frameRate, max(1, layer?.maximumFramesPerSecond ?? input.frameRate))
            coders.append(
                try LayerCoder(
                    layer, encoding, frameRate: own, sealer: sealer(stream.ssrc),
                    marker: track.marker, firstTimestamp: .random(in: 0...UInt32.max, using: &random)))
            layers.append(
                VideoLayerSender(
                    stream, codec: codec, bitrate: encoding.map { layer?.bitrate ?? $0.bitrate } ?? 0,
                    frameRate: own, takesAll: own >= input.frameRate, isOnly: streams.count == 1,
                    asksSource: encoding == nil, preference: preference,
                    firstPictureID: .random(in: 0...0x7fff, using: &random)))
        }
        coder = VideoCoder(input, layers: coders)
        interval = .seconds(1 / rate)
        backlog = input.backlog
        schedule = TickSchedule(origin: now, interval: interval, backlog: backlog)
    }

    var ssrcs: [UInt32] { layers.map(\.ssrc) }

    // MARK: Wishes

    mutating func keyFrameRequested(ssrc: UInt32) {
        for index in layers.indices where layers[index].ssrc == ssrc { layers[index].keyFrameRequested() }
    }

    /// The rate doesn't suffice for the size of its pictures.
    var isTooLarge: Bool { layers.contains(where: \.isTooLarge) }

    mutating func beginAnew(now: Instant) {
        for index in layers.indices { layers[index].beginAnew(now: now) }
    }

    mutating func setActiveLayers(_ rids: Set<String>) {
        for index in layers.indices { layers[index].setActive(rids.contains(layers[index].rid)) }
    }

    /// What the owner allows, in bit/s.
    mutating func setTargetBitrate(_ bitrate: Int?) {
        limit = bitrate.map { max(0, $0) }
        applyRates()
    }

    /// What the path allows, with all headers, in bit/s.
    ///
    /// - Parameter isPaced: pictures are left out where an encoder can't keep to it.
    mutating func setShare(_ bitrate: Int?, isPaced: Bool) {
        for index in layers.indices { layers[index].keepsRate = isPaced }
        share = bitrate.map { PacketCosts.withoutHeaders(max(0, $0), pictures: pictureRate) }
        applyRates()
    }

    /// What it would send, with all headers, in bit/s; nil where the source is compressed already and can't be told.
    var wantedBitrate: Int? {
        guard isEncoding else { return nil }
        guard !track.isMuted else { return 0 }
        let own = layers.reduce(0) { $0 + ($1.isActive ? $1.bitrate : 0) }
        return PacketCosts.withHeaders(min(own, limit ?? own), pictures: pictureRate)
    }

    /// Of all streams, a second.
    private var pictureRate: Double {
        Double(layers.count(where: \.isActive)) / max(interval.seconds, 0.001)
    }

    /// Shares the bits out from the smallest layer up; one that would get too little for its size pauses.
    private mutating func applyRates() {
        guard isEncoding else { return }
        guard limit != nil || share != nil else {
            for index in layers.indices { layers[index].setBitrate(nil) }
            return
        }
        let bitrate = min(limit ?? .max, share ?? .max)
        let shares = BitrateShares.share(bitrate, among: layers.reversed().map { ($0.bitrate, $0.isActive) })
        for (index, share) in zip(layers.indices.reversed(), shares) { layers[index].setBitrate(share) }
    }

    // MARK: Time

    /// The first picture is due now, or a little later: many senders on one machine must not all encode at the same moment.
    mutating func begin(now: Instant) {
        let phase = interval * Double((layers.first?.ssrc ?? 0) % 16) * (1.0 / 16)
        schedule = TickSchedule(origin: now + phase, interval: interval, backlog: backlog)
    }

    var nextDeadline: Instant { isBusy ? .distantFuture : schedule.deadline }

    /// Has the picture that is due made. One that is compressed already must not be left out, or those after it don't
    /// decode: of these as many are made up for as the backlog allows.
    ///
    /// - Parameter isHeldUp: so much waits to be sent already that a picture which isn't made yet is left out.
    mutating func advance(to now: Instant, isHeldUp: Bool = false, into work: SessionWork) {
        guard nextDeadline <= now else { return }
        let due = schedule.deadline
        let left = schedule.skip(at: now)
        work.wakes.append(TimedWake(due: due, now: now, skipped: left))
        guard let tick = schedule.take(at: now) else { return }
        skipped += tick.index - nextIndex
        nextIndex = tick.index + 1
        isBusy = true
        let order = order(due: tick.due, isHeldUp: isHeldUp && isEncoding, now: now)
        work.jobs.append(MediaJob(lane: .pictures(number.serial), track: number, work: .encodePicture(coder, order)))
    }

    private mutating func order(due: Instant, isHeldUp: Bool, now: Instant) -> VideoOrder {
        var order = VideoOrder(due: MediaTime(nanoseconds: due.nanoseconds), isMuted: track.isMuted)
        if order.isMuted {
            wasMuted = true
            return order
        }
        if wasMuted {
            for index in layers.indices { layers[index].needKeyFrame() }
            wasMuted = false
        }
        guard !isHeldUp else { return order }
        for index in layers.indices {
            if let layer = layers[index].order(index, now: now) { order.layers.append(layer) }
        }
        return order
    }

    // MARK: Packets

    /// Sends what was encoded.
    mutating func send(_ pictures: [EncodedPicture], by peer: inout Peer, now: Instant, into outbox: Outbox) {
        isBusy = false
        for index in layers.indices { layers[index].finish(pictures.first { $0.layer == index }) }
        for picture in pictures { layers[picture.layer].send(picture, by: &peer, now: now, into: outbox) }
    }

    func count(into statistics: inout SenderStatistics, stream: (UInt32) -> StreamStatistics?) {
        statistics.framesSkipped = skipped
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
