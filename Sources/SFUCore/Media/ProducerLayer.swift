import RTCWire

/// One RTP stream of a producer: its only one, or one of a simulcast.
package final class ProducerLayer {
    package let ssrc: UInt32
    /// The RTP stream id of a simulcast layer (RFC 8852).
    package let rid: ShortToken?
    /// Orders the layers of a producer, the smallest picture first.
    package internal(set) var rank: Int
    /// Spatial layers within the stream (SVC), as its latest key frame says: 1 where it has no such layers.
    package internal(set) var spatialLayers = 1
    /// Width of the latest key frame's picture in pixels; 0 where it isn't known.
    package internal(set) var pictureWidth = 0
    /// How often pictures of its temporal layers come.
    package internal(set) var temporalRates = TemporalRates()
    var ring: PacketRing?
    var clock: SenderClock?
    /// What frames of the stream are like, where it uses the dependency descriptor.
    var structure: DependencyStructure?
    /// The decode targets that are sent now, as a bit mask.
    var activeTargets: UInt32 = .max
    /// Parameter sets come in the stream: key frames begin with them.
    var hasParameterSets = false
    private var keyFrame: (sequence: Int64, arrival: Instant)?
    /// Payload bytes since that key frame began.
    private var bytesSinceKeyFrame = 0
    private var highest = Int64.min
    private(set) var rhythm: LayerRhythm
    /// When a first key frame is asked for; nil once it was.
    private var firstRequest: Instant?
    package private(set) var packets = 0
    package private(set) var bytes = 0
    /// The same bytes by spatial and temporal layer within the stream.
    package private(set) var layerBytes = LayerBytes()

    init(ssrc: UInt32, rid: ShortToken?, rank: Int, now: Instant) {
        self.ssrc = ssrc
        self.rid = rid
        self.rank = rank
        rhythm = LayerRhythm(now: now)
        firstRequest = now + ProducerLayer.firstRequestDelay
    }

    /// Whether the first key frame is to be asked for now; true once.
    func takeFirstRequest(now: Instant) -> Bool {
        guard let due = firstRequest, due <= now else { return false }
        firstRequest = nil
        return true
    }

    private static let firstRequestDelay = Interval.seconds(1)

    /// Counts a packet and learns from it; `others` counts the pictures of the producer's other layers.
    func note(_ packet: SourcePacket, others: Int) {
        rhythm.note(timestamp: packet.timestamp, others: others, now: packet.arrival)
        packets += 1
        bytes += packet.payload.count
        bytesSinceKeyFrame += packet.payload.count
        layerBytes.count(
            packet.payload.count, spatial: Int(packet.spatialID ?? 0), temporal: Int(packet.temporalID ?? 0))
        guard packet.sequence > highest else { return }
        highest = packet.sequence
        if let layer = packet.temporalID {
            temporalRates.count(layer, timestamp: packet.timestamp, now: packet.arrival)
        }
        if packet.hasParameterSet { hasParameterSets = true }
        if let targets = packet.dependency?.activeTargets { activeTargets = targets }
        if packet.startsKeyFrame {
            keyFrame = (packet.sequence, packet.arrival)
            bytesSinceKeyFrame = packet.payload.count
        }
        notePicture(packet)
    }

    /// Learns what a key frame, or a description of layers, says of the pictures.
    private func notePicture(_ packet: SourcePacket) {
        switch packet.head {
        case .vp8(let descriptor):
            guard packet.startsKeyFrame else { return }
            let frame = UnsafeRawBufferPointer(rebasing: packet.payload[descriptor.encodedLength...])
            if let header = try? VP8FrameHeader(parsing: frame.bytes) { pictureWidth = header.width }
        case .vp9(let descriptor):
            guard let offset = descriptor.structureOffset,
                let structure = try? VP9ScalabilityStructure(parsing: packet.payload.bytes, at: offset)
            else { return }
            spatialLayers = structure.spatialLayers
            pictureWidth = Int(structure.widths[structure.spatialLayers - 1])
        case .none:
            guard packet.dependency?.hasStructure == true, let structure else { return }
            spatialLayers = Int(structure.targetLayers.map(\.spatial).max() ?? 0) + 1
            pictureWidth = structure.sizes.last?.width ?? 0
        }
    }

    /// The packets from a recent key frame up to now, where all that came are still at hand; nil else.
    ///
    /// Somebody new may begin there without a key frame of its own: sources give one a second at most. Only while it is
    /// little, about what one key frame has: it leaves in one go, and sound would wait behind it.
    func replayable(now: Instant) -> ClosedRange<Int64>? {
        guard let keyFrame, let ring, now - keyFrame.arrival <= ProducerLayer.replayAge, keyFrame.sequence <= highest,
            bytesSinceKeyFrame <= ProducerLayer.replayBytes,
            highest - keyFrame.sequence < ProducerLayer.replayPackets
        else { return nil }
        let range = keyFrame.sequence...highest
        return range.allSatisfy(ring.has) ? range : nil
    }

    /// Later than that the source may be asked anew.
    private static let replayAge = Interval.seconds(1)
    private static let replayBytes = 24_000
    private static let replayPackets: Int64 = 40
}
