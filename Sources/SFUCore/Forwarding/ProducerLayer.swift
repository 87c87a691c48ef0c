import RTCWire

/// One RTP stream of a producer: its only one, or one of a simulcast.
struct ProducerLayer: ~Copyable {
    let ssrc: UInt32
    /// The RTP stream id of a simulcast layer (RFC 8852).
    let rid: ShortToken?
    /// Orders the layers of a producer, the smallest picture first.
    var rank: Int
    var contents = LayerContents()
    /// The latest packets; nil for audio.
    var ring: PacketRing?
    var clock: SenderClock?
    private(set) var rhythm: LayerRhythm
    private(set) var traffic = LayerTraffic()
    private var recent = RecentKeyFrame()
    /// When a first key frame is asked for; nil once it was.
    private var firstRequest: Instant?

    init(ssrc: UInt32, rid: ShortToken?, rank: Int, now: Instant) {
        self.ssrc = ssrc
        self.rid = rid
        self.rank = rank
        rhythm = LayerRhythm(now: now)
        firstRequest = now + ProducerLayer.firstRequestDelay
    }

    /// Whether the first key frame is to be asked for now; true once.
    mutating func takeFirstRequest(now: Instant) -> Bool {
        guard let due = firstRequest, due <= now else { return false }
        firstRequest = nil
        return true
    }

    private static let firstRequestDelay = Interval.seconds(1)

    /// Counts a packet and learns from it; `others` counts the pictures of the producer's other layers.
    mutating func note(_ packet: borrowing SourcePacket, others: Int) {
        rhythm.note(timestamp: packet.timestamp, others: others, now: packet.arrival)
        traffic.count(packet)
        if recent.note(packet) { contents.note(packet) }
    }

    /// The packets from a recent key frame up to now, where all that came are still at hand; nil else.
    func replayable(now: Instant) -> ClosedRange<Int64>? {
        guard let range = recent.range(now: now), ring != nil else { return nil }
        for sequence in range where ring?.has(sequence) != true { return nil }
        return range
    }
}

/// Counters of one RTP stream, since it began.
struct LayerTraffic {
    private(set) var packets = 0
    private(set) var bytes = 0
    /// The same bytes by spatial and temporal layer within the stream.
    private(set) var layerBytes = LayerBytes()

    mutating func count(_ packet: borrowing SourcePacket) {
        packets += 1
        bytes += packet.payload.count
        layerBytes.count(
            packet.payload.count, spatial: Int(packet.spatialID ?? 0), temporal: Int(packet.temporalID ?? 0))
    }
}

/// The latest key frame of one RTP stream, and how much came since.
///
/// Somebody new may begin there without a key frame of its own: sources give one a second at most. Only while it is
/// little, about what one key frame has: it leaves in one go, and sound would wait behind it.
struct RecentKeyFrame {
    private var keyFrame: (sequence: Int64, arrival: Instant)?
    /// Payload bytes since that key frame began.
    private var bytes = 0
    private var highest = Int64.min

    /// Takes a packet in; false where later ones have come before.
    mutating func note(_ packet: borrowing SourcePacket) -> Bool {
        bytes += packet.payload.count
        guard packet.sequence > highest else { return false }
        highest = packet.sequence
        if packet.startsKeyFrame {
            keyFrame = (packet.sequence, packet.arrival)
            bytes = packet.payload.count
        }
        return true
    }

    /// The numbers since the key frame; nil where it is too old or too much came since.
    func range(now: Instant) -> ClosedRange<Int64>? {
        guard let keyFrame, now - keyFrame.arrival <= RecentKeyFrame.age, keyFrame.sequence <= highest,
            bytes <= RecentKeyFrame.bytesAtOnce, highest - keyFrame.sequence < RecentKeyFrame.packets
        else { return nil }
        return keyFrame.sequence...highest
    }

    /// Later than that the source may be asked anew.
    private static let age = Interval.seconds(1)
    private static let bytesAtOnce = 24_000
    private static let packets: Int64 = 40
}

/// What is known of one RTP stream of a producer.
package struct LayerReport: Sendable {
    package let ssrc: UInt32
    package let rid: ShortToken?
    /// Orders the layers of a producer, the smallest picture first.
    package let rank: Int
    /// 1 where the stream has no layers of its own.
    package let spatialLayers: Int
    /// In pixels; 0 where it isn't known.
    package let pictureWidth: Int
    package let packets: Int
    /// Payload bytes.
    package let bytes: Int
    package let layerBytes: LayerBytes

    init(_ layer: borrowing ProducerLayer) {
        ssrc = layer.ssrc
        rid = layer.rid
        rank = layer.rank
        spatialLayers = layer.contents.spatialLayers
        pictureWidth = layer.contents.pictureWidth
        packets = layer.traffic.packets
        bytes = layer.traffic.bytes
        layerBytes = layer.traffic.layerBytes
    }
}
