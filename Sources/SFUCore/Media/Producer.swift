import RTCCore
import RTCWire

/// The connection that a producer's packets come from.
package protocol ProducerSource: AnyObject {
    /// Asks for a key frame; called as often as one is missed, so the source thins the requests out. Those of the smallest
    /// layer may be more frequent: its key frames are small.
    func requestKeyFrame(ssrc: UInt32, isSmallest: Bool)
    /// A key frame came: a request that still waits may be dropped.
    func keyFrameReceived(ssrc: UInt32)
}

/// A published track: its RTP streams, the latest packets of each, and who gets them.
package final class Producer {
    package let id: String
    package let codec: MediaCodec
    package let payloads: ProducerPayloads
    package let clockRate: UInt32
    /// The sources of a simulcast without rids, the smallest picture first (`a=ssrc-group:SIM`).
    package var simulcastSources: [UInt32] = []
    /// Low to high.
    package private(set) var layers: [ProducerLayer] = []
    package private(set) var consumers: [Consumer] = []
    /// Pictures of all layers.
    private var pictures = 0
    /// Nothing of it is to be seen or heard.
    package private(set) var isMuted = false
    /// Whoever asks for a key frame of one layer asks for one of each, as some publishers send them anyway.
    package var asksForAllLayers = false
    /// How loud it is; kept for audio.
    package var speaker = SpeakerLevel()
    let statistics: ForwardingStatistics
    private weak var source: (any ProducerSource)?

    package init(
        id: String, codec: MediaCodec, payloads: ProducerPayloads = ProducerPayloads(), clockRate: UInt32,
        source: any ProducerSource, statistics: ForwardingStatistics
    ) {
        self.id = id
        self.codec = codec
        self.payloads = payloads
        self.clockRate = max(clockRate, 1)
        self.source = source
        self.statistics = statistics
    }

    package var kind: StreamKind { codec.kind }
    /// True once a packet has come.
    package var hasStarted: Bool { !layers.isEmpty }

    // MARK: Packets

    /// Hands a packet to every consumer. `buffer` is the datagram that the packet points into.
    package func receive(_ received: ReceivedRTP, in buffer: UnsafeRawBufferPointer) {
        guard received.payload.lowerBound >= 0, received.payload.upperBound <= buffer.count,
            let format = payloads.format(of: received.header.payloadType),
            let layer = layer(ssrc: received.ssrc, rid: received.extensions.rid, now: received.arrival)
        else {
            statistics.dropped += 1
            return
        }
        var packet = SourcePacket(received, in: buffer, codec: codec, format: format)
        statistics.packetsReceived += 1
        if codec.kind == .video {
            readLayers(of: &packet, layer)
        } else if !isMuted, let level = packet.extensions.audioLevel {
            speaker.observe(level.level, timestamp: packet.timestamp, clockRate: clockRate, now: packet.arrival)
        }
        note(packet, of: layer)
        if packet.startsKeyFrame, layers.count > 1 { sortByPicture() }
        for consumer in consumers { consumer.forward(packet, from: layer) }
    }

    private func note(_ packet: SourcePacket, of layer: ProducerLayer) {
        let before = layer.rhythm.pictures
        layer.note(packet, others: pictures - before)
        pictures += layer.rhythm.pictures - before
    }

    private func readLayers(of packet: inout SourcePacket, _ layer: ProducerLayer) {
        if packet.needsDependency(codec) { packet.readDependency(&layer.structure) }
        // Where parameter sets come in the stream, a picture without them is of no use to a newcomer.
        if packet.startsKeyFrame, layer.hasParameterSets, !packet.hasParameterSet { packet.startsKeyFrame = false }
        layer.ring?.store(packet)
        guard packet.startsKeyFrame, codec.needsKeyFrame else { return }
        source?.keyFrameReceived(ssrc: layer.ssrc)
    }

    /// A sender report of one of the layers: kept; the first one is passed on to those who get that layer.
    package func receiveSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant) {
        guard let layer = layers.first(where: { $0.ssrc == ssrc }) else { return }
        let isFirst = layer.clock == nil
        layer.clock = SenderClock(ntp: ntp, timestamp: rtpTimestamp, arrival: arrival)
        for consumer in consumers where isFirst && consumer.layer === layer { consumer.reportEarly(now: arrival) }
    }

    // MARK: Layers

    private func layer(ssrc: UInt32, rid: ShortToken?, now: Instant) -> ProducerLayer? {
        for layer in layers where layer.ssrc == ssrc { return layer }
        // The same rid, or a track without rids, from another SSRC: the sender has begun anew.
        if !simulcastSources.contains(ssrc), let old = layers.firstIndex(where: { $0.rid == rid }) {
            pictures -= layers.remove(at: old).rhythm.pictures
        }
        guard layers.count < Producer.maximumLayers else { return nil }
        let rank = simulcastSources.firstIndex(of: ssrc) ?? Producer.rank(of: rid)
        let layer = ProducerLayer(ssrc: ssrc, rid: rid, rank: rank, now: now)
        if codec.kind == .video { layer.ring = PacketRing(packets: 1024, bytes: 512 * 1024) }
        layers.append(layer)
        layers.sort { $0.rank < $1.rank }
        return layer
    }

    /// LiveKit's rids are q, h and f, others count; unknown ones count as the smallest.
    private static func rank(of rid: ShortToken?) -> Int {
        guard let rid, rid.count == 1 else { return 0 }
        switch rid[0] {
        case UInt8(ascii: "h"), UInt8(ascii: "1"): return 1
        case UInt8(ascii: "f"), UInt8(ascii: "2"): return 2
        default: return 0
        }
    }

    /// Names that count may do so from either end: the pictures' sizes tell, once all of them are known.
    private func sortByPicture() {
        guard layers.allSatisfy({ $0.pictureWidth > 0 && !Producer.hasLiveKitName($0.rid) }),
            !zip(layers, layers.dropFirst()).allSatisfy({ $0.pictureWidth <= $1.pictureWidth })
        else { return }
        layers.sort { $0.pictureWidth < $1.pictureWidth }
        for (rank, layer) in layers.enumerated() { layer.rank = rank }
    }

    private static func hasLiveKitName(_ rid: ShortToken?) -> Bool {
        guard let rid, rid.count == 1 else { return false }
        return [UInt8(ascii: "q"), UInt8(ascii: "h"), UInt8(ascii: "f")].contains(rid[0])
    }

    private static let maximumLayers = 4

    /// The layer that a consumer with this limit should get: the largest one that is alive and within the limit, else the
    /// smallest that is alive.
    func bestLayer(limit: Int, now: Instant) -> ProducerLayer? {
        var best: ProducerLayer?
        for layer in layers where (layer.rank <= limit || best == nil) && isAlive(layer, now) { best = layer }
        return best
    }

    /// The layer is still sent.
    private func isAlive(_ layer: ProducerLayer, _ now: Instant) -> Bool {
        layer.rhythm.isAlive(now, others: pictures - layer.rhythm.pictures, siblings: layers.count - 1)
    }

    /// The layers that are still sent.
    package func liveLayers(_ now: Instant) -> [ProducerLayer] { layers.filter { isAlive($0, now) } }

    func requestKeyFrame(of layer: ProducerLayer) {
        guard codec.needsKeyFrame else { return }
        for asked in layers where asked === layer || asksForAllLayers {
            statistics.keyFrameRequests += 1
            source?.requestKeyFrame(ssrc: asked.ssrc, isSmallest: asked === layers.first)
        }
    }

    /// The track is muted, or no longer is. While it is nothing is passed on, whatever its publisher sends. Sound ends in a
    /// second of silence; video just stops, and goes on with a key frame.
    package func setMuted(_ muted: Bool, now: Instant) {
        guard muted != isMuted else { return }
        let heard = consumers.filter(\.isFlowing)
        isMuted = muted
        for consumer in consumers { consumer.stopOrGoOn(now) }
        if muted { for consumer in heard { consumer.fillSilence(now: now) } }
    }

    /// Asks once for a key frame of each layer that is a second old, whether or not anybody gets it: what the stream is
    /// like is known then, and whoever comes finds its layers.
    package func requestFirstKeyFrames(now: Instant) {
        for layer in layers where layer.takeFirstRequest(now: now) { requestKeyFrame(of: layer) }
    }

    // MARK: Consumers

    package func add(_ consumer: Consumer) {
        guard !consumers.contains(where: { $0 === consumer }) else { return }
        consumers.append(consumer)
    }

    package func remove(_ consumer: Consumer) { consumers.removeAll { $0 === consumer } }

    /// Lets go of everybody.
    package func close() {
        consumers = []
        layers = []
        source = nil
    }
}
