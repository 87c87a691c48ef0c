import RTCCore
import RTCWire

/// The connection that a producer's packets come from.
package protocol ProducerSource: AnyObject {
    /// Asks for a key frame; called as often as one is missed, so the source thins the requests out.
    func requestKeyFrame(ssrc: UInt32)
    /// A key frame came: a request that still waits may be dropped.
    func keyFrameReceived(ssrc: UInt32)
}

/// A published track: its RTP streams, the latest packets of each, and who gets them.
package final class Producer {
    package let id: String
    package let codec: MediaCodec
    package let clockRate: UInt32
    /// Low to high.
    package private(set) var layers: [ProducerLayer] = []
    package private(set) var consumers: [Consumer] = []
    /// How loud it is; kept for audio.
    package var speaker = SpeakerLevel()
    let statistics: ForwardingStatistics
    private weak var source: (any ProducerSource)?

    package init(
        id: String, codec: MediaCodec, clockRate: UInt32, source: any ProducerSource, statistics: ForwardingStatistics
    ) {
        self.id = id
        self.codec = codec
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
            let layer = layer(ssrc: received.ssrc, rid: received.extensions.rid, now: received.arrival)
        else {
            statistics.dropped += 1
            return
        }
        let payload = UnsafeRawBufferPointer(rebasing: buffer[received.payload])
        let packet = SourcePacket(received, payload: payload, codec: codec)
        layer.count(packet)
        statistics.packetsReceived += 1
        if codec.kind == .video {
            layer.ring?.store(packet)
            if packet.startsKeyFrame, codec.needsKeyFrame { source?.keyFrameReceived(ssrc: layer.ssrc) }
        } else if let level = packet.extensions.audioLevel {
            speaker.observe(level.level, timestamp: packet.timestamp, clockRate: clockRate, now: packet.arrival)
        }
        for consumer in consumers { consumer.forward(packet, from: layer) }
    }

    /// A sender report of one of the layers: kept, and passed on to those who get that layer.
    package func receiveSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant) {
        guard let layer = layers.first(where: { $0.ssrc == ssrc }) else { return }
        layer.clock = SenderClock(ntp: ntp, timestamp: rtpTimestamp, arrival: arrival)
        for consumer in consumers { consumer.forwardSenderReport(from: layer) }
    }

    private func layer(ssrc: UInt32, rid: ShortToken?, now: Instant) -> ProducerLayer? {
        for layer in layers where layer.ssrc == ssrc { return layer }
        // The same rid, or a track without rids, from another SSRC: the sender has begun anew.
        if let old = layers.firstIndex(where: { $0.rid == rid }) { layers.remove(at: old) }
        guard layers.count < Producer.maximumLayers else { return nil }
        let layer = ProducerLayer(ssrc: ssrc, rid: rid, rank: Producer.rank(of: rid), now: now)
        if codec.kind == .video { layer.ring = PacketRing(packets: 1024, bytes: 512 * 1024) }
        layers.append(layer)
        layers.sort { $0.rank < $1.rank }
        return layer
    }

    /// LiveKit's rids are q, h and f, browsers' examples count from 0; unknown ones count as the smallest.
    private static func rank(of rid: ShortToken?) -> Int {
        guard let rid, rid.count == 1 else { return 0 }
        switch rid[0] {
        case UInt8(ascii: "h"), UInt8(ascii: "1"): return 1
        case UInt8(ascii: "f"), UInt8(ascii: "2"): return 2
        default: return 0
        }
    }

    private static let maximumLayers = 4

    // MARK: Layers

    /// The layer that a consumer with this limit should get: the largest one that is alive and within the limit, else the
    /// smallest that is alive.
    func bestLayer(limit: Int, now: Instant) -> ProducerLayer? {
        var best: ProducerLayer?
        for layer in layers where layer.isAlive(now) && (layer.rank <= limit || best == nil) { best = layer }
        return best
    }

    func requestKeyFrame(of layer: ProducerLayer) {
        guard codec.needsKeyFrame else { return }
        statistics.keyFrameRequests += 1
        source?.requestKeyFrame(ssrc: layer.ssrc)
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
