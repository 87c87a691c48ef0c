import RTCCore
import RTCWire

/// A published track: its RTP streams, the latest packets of each, and who gets them.
struct Producer: ~Copyable {
    let configuration: ProducerConfiguration
    let connection: ConnectionID
    var layers = ProducerLayers()
    /// Those who get its packets, by slot.
    private(set) var listeners: [Int] = []
    /// The consumers that were made of it.
    var consumers = 0
    /// Nothing of it is to be seen or heard.
    var isMuted = false
    /// Its publisher has ended it; what was sent last may still be asked for.
    private(set) var isClosed = false
    /// How loud it is; kept for audio.
    private(set) var speaker = SpeakerLevel()
    /// What its next packets may carry copies of; kept where `knowsCopies`.
    var recent = RecentSound()
    var statistics = ForwardingStatistics()
    private let lent = AddressOnly()

    init(_ configuration: ProducerConfiguration, connection: ConnectionID) {
        self.configuration = configuration
        self.connection = connection
    }

    var codec: MediaCodec { configuration.codec }
    var clockRate: UInt32 { configuration.clockRate }
    /// Copies of earlier frames were agreed on (RFC 2198), whether or not its packets bring any.
    var knowsCopies: Bool { codec == .opus && configuration.payloads.redundancy != nil }

    // MARK: Packets

    /// Finds out what a packet, which points into `buffer`, is; nil for what nobody gets.
    mutating func place(
        _ received: borrowing ReceivedRTP, in buffer: UnsafeRawBufferPointer
    ) -> (layer: Int, format: PacketFormat)? {
        guard !isClosed, received.payload.lowerBound >= 0, received.payload.upperBound <= buffer.count,
            let format = configuration.payloads.format(of: received.header.payloadType),
            let layer = layer(ssrc: received.ssrc, rid: received.extensions.rid, now: received.arrival)
        else {
            statistics.dropped += 1
            return nil
        }
        return (layer, format)
    }

    /// Reads what a packet's layers are, and keeps what is to be kept of it.
    mutating func take(_ packet: inout SourcePacket, of layer: Int, into outbox: inout ForwardingOutbox) {
        statistics.packetsReceived += 1
        if codec.kind == .video {
            readLayers(of: &packet, layer, &outbox)
        } else if !isMuted, let level = packet.extensions.audioLevel {
            speaker.observe(level.level, timestamp: packet.timestamp, clockRate: clockRate, now: packet.arrival)
        }
        layers.note(packet, of: layer)
    }

    private mutating func readLayers(of packet: inout SourcePacket, _ layer: Int, _ outbox: inout ForwardingOutbox) {
        if packet.needsDependency(codec) { packet.readDependency(&layers[layer].pointee.contents.structure) }
        // Where parameter sets come in the stream, a picture without them is of no use to a newcomer.
        if packet.startsKeyFrame, layers[layer].pointee.contents.hasParameterSets, !packet.hasParameterSet {
            packet.startsKeyFrame = false
        }
        layers.keep(packet, of: layer)
        guard packet.startsKeyFrame, codec.needsKeyFrame else { return }
        outbox.append(.keyFrameReceived(ssrc: layers[layer].pointee.ssrc, from: connection))
    }

    private mutating func layer(ssrc: UInt32, rid: ShortToken?, now: Instant) -> Int? {
        if let known = layers.index(ssrc: ssrc) { return known }
        let named = configuration.simulcastSources.firstIndex(of: ssrc)
        var layer = ProducerLayer(ssrc: ssrc, rid: rid, rank: named ?? Producer.rank(of: rid), now: now)
        if codec.kind == .video { layer.ring = PacketRing(packets: 1024, bytes: 512 * 1024) }
        return layers.add(layer, isNamed: named != nil, keepsOld: consumers > 0)
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

    // MARK: Layers

    /// The layer that a consumer with this limit should get; nil while nothing comes.
    func bestLayer(limit: Int, now: Instant) -> Int? { isClosed ? nil : layers.best(limit: limit, now: now) }

    /// The largest layer, alive or not.
    var largestLayer: Int? { isClosed ? nil : layers.order.last }

    mutating func requestKeyFrame(of layer: Int, into outbox: inout ForwardingOutbox) {
        guard codec.needsKeyFrame, !isClosed else { return }
        for asked in layers.order where asked == layer || configuration.asksForAllLayers {
            statistics.keyFrameRequests += 1
            outbox.append(
                .keyFrameWanted(
                    ssrc: layers[asked].pointee.ssrc, isSmallest: asked == layers.order.first, from: connection))
        }
    }

    /// Asks once for a key frame of each layer that is a second old, whether or not anybody gets it: what the stream is
    /// like is known then, and whoever comes finds its layers.
    mutating func requestFirstKeyFrames(now: Instant, into outbox: inout ForwardingOutbox) {
        guard !isClosed else { return }
        for layer in layers.order where layers[layer].pointee.takeFirstRequest(now: now) {
            requestKeyFrame(of: layer, into: &outbox)
        }
    }

    // MARK: Consumers

    mutating func add(listener: Int) {
        if !isClosed, !listeners.contains(listener) { listeners.append(listener) }
    }

    mutating func remove(listener: Int) { listeners.removeAll { $0 == listener } }

    /// Lets go of everybody.
    mutating func close() {
        listeners = []
        isClosed = true
    }
}
