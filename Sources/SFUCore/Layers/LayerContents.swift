import RTCCore
import RTCWire

/// What one RTP stream's packets say of its pictures.
struct LayerContents: ~Copyable {
    /// Spatial layers within the stream (SVC), as its latest key frame says: 1 where it has no such layers.
    private(set) var spatialLayers = 1
    /// Width of the latest key frame's picture in pixels; 0 where it isn't known.
    private(set) var pictureWidth = 0
    /// How often pictures of its temporal layers come.
    private(set) var temporalRates = TemporalRates()
    /// What frames of the stream are like, where it uses the dependency descriptor.
    var structure: DependencyStructure?
    /// The decode targets that are sent now, as a bit mask.
    private(set) var activeTargets: UInt32 = .max
    /// Parameter sets come in the stream: key frames begin with them.
    private(set) var hasParameterSets = false
    private let lent = AddressOnly()

    /// Learns from a packet that comes after all others.
    mutating func note(_ packet: borrowing SourcePacket) {
        if let layer = packet.temporalID {
            temporalRates.count(layer, timestamp: packet.timestamp, now: packet.arrival)
        }
        if packet.hasParameterSet { hasParameterSets = true }
        if let targets = packet.dependency?.activeTargets { activeTargets = targets }
        notePicture(packet)
    }

    /// Learns what a key frame, or a description of layers, says of the pictures.
    private mutating func notePicture(_ packet: borrowing SourcePacket) {
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
}
