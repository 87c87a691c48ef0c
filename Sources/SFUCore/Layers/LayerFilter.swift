import RTCWire

/// Which packets of a stream with layers one consumer gets: the layers within its limit, each taken up at a packet where
/// that is possible.
///
/// Layers are given up at the beginning of the next picture, for then nothing that is sent refers to them.
struct LayerFilter {
    /// What is wanted at most.
    var limit = LayerPoint.highest
    /// What is sent.
    private(set) var current = LayerPoint(spatial: 0, temporal: 0)
    /// Of streams that say their layers in the dependency descriptor alone.
    private var targets = DecodeTargetFilter()
    private var timestamp: UInt32?
    /// The spatial layer that ends the present picture: in a key picture one that is still to come.
    private var pictureTop = 0
    /// A picture from which on higher temporal layers can be taken up has gone by.
    private var mayRaiseTemporal = false

    /// What becomes of a packet.
    struct Verdict {
        var isTaken: Bool
        /// The last packet of the picture that is sent.
        var marker: Bool
        /// The decode targets to say in this packet's dependency descriptor.
        var announcedTargets: UInt32?
    }

    /// Begins with a key frame of `layer`.
    mutating func begin() {
        current = LayerPoint(spatial: 0, temporal: limit.temporal)
        timestamp = nil
        mayRaiseTemporal = false
        targets = DecodeTargetFilter()
    }

    /// The limit can't be kept without a key frame.
    func needsKeyFrame(of layer: borrowing LayerContents) -> Bool {
        guard let structure = layer.structure else { return false }
        return targets.needsKeyFrame(structure, active: layer.activeTargets, limit: limit)
    }

    /// Judges a packet; `isNewest` where no later one of the stream has been judged.
    // Inlined, because a call lends a copy of the contents, which stand in a value that may change.
    @inline(__always)
    mutating func judge(_ packet: borrowing SourcePacket, of layer: borrowing LayerContents, isNewest: Bool) -> Verdict
    {
        // It has been read only where the payload names no layers.
        if let dependency = packet.dependency, let structure = layer.structure {
            return judge(dependency, structure, packet, layer, isNewest)
        }
        return switch packet.head {
        case .vp8(let descriptor): judge(descriptor, packet, isNewest)
        case .vp9(let descriptor): judge(descriptor, packet, layer, isNewest)
        case .none: Verdict(isTaken: true, marker: packet.marker)
        }
    }

    /// Whether the packet begins a picture that comes after all others.
    private mutating func beginsPicture(_ packet: borrowing SourcePacket, _ isNewest: Bool) -> Bool {
        guard isNewest, timestamp != packet.timestamp else { return false }
        timestamp = packet.timestamp
        return true
    }

    // MARK: VP8

    private mutating func judge(
        _ descriptor: VP8PayloadDescriptor, _ packet: borrowing SourcePacket, _ isNewest: Bool
    ) -> Verdict {
        guard let temporal = descriptor.temporalID.map(Int.init) else {
            return Verdict(isTaken: true, marker: packet.marker)
        }
        if beginsPicture(packet, isNewest) {
            current.temporal = min(current.temporal, limit.temporal)
            if packet.startsKeyFrame { current.temporal = limit.temporal }
            // A sync frame refers to the base layer alone.
            if descriptor.isLayerSync, temporal == current.temporal + 1, temporal <= limit.temporal {
                current.temporal = temporal
            }
        }
        return Verdict(isTaken: temporal <= current.temporal, marker: packet.marker)
    }

    // MARK: VP9

    private mutating func judge(
        _ descriptor: VP9PayloadDescriptor, _ packet: borrowing SourcePacket, _ layer: borrowing LayerContents,
        _ isNewest: Bool
    ) -> Verdict {
        guard descriptor.hasLayers else { return Verdict(isTaken: true, marker: packet.marker) }
        let spatial = Int(descriptor.spatialID)
        let temporal = Int(descriptor.temporalID)
        if beginsPicture(packet, isNewest) {
            beginPicture(packet, descriptor)
            pictureTop = packet.startsKeyFrame ? min(limit.spatial, layer.spatialLayers - 1) : current.spatial
        }
        // A frame that refers to no earlier picture can be shown with what is sent of its own picture.
        if isNewest, descriptor.startsFrame, !descriptor.isInterPicturePredicted, spatial == current.spatial + 1,
            spatial <= limit.spatial
        {
            current.spatial = spatial
            pictureTop = max(pictureTop, spatial)
        }
        let isTaken = spatial <= current.spatial && temporal <= current.temporal
        return Verdict(
            isTaken: isTaken, marker: packet.marker || descriptor.endsFrame && spatial == pictureTop)
    }

    private mutating func beginPicture(_ packet: borrowing SourcePacket, _ descriptor: VP9PayloadDescriptor) {
        if mayRaiseTemporal { current.temporal = limit.temporal }
        current = current.limited(to: limit)
        if packet.startsKeyFrame { current = LayerPoint(spatial: 0, temporal: limit.temporal) }
        mayRaiseTemporal = descriptor.isSwitchingPoint && Int(descriptor.temporalID) <= current.temporal
    }

    // MARK: Dependency descriptor

    private mutating func judge(
        _ dependency: DependencyDescriptor, _ structure: DependencyStructure, _ packet: borrowing SourcePacket,
        _ layer: borrowing LayerContents, _ isNewest: Bool
    ) -> Verdict {
        var announced: UInt32?
        if isNewest, dependency.startsFrame {
            let isChanged = targets.beginFrame(dependency, structure, active: layer.activeTargets, limit: limit)
            if isChanged || dependency.hasStructure && targets.isLimited {
                announced = targets.mask(structure, active: layer.activeTargets)
            }
        }
        current = targets.layers(structure)
        let isTaken = targets.takes(dependency)
        if isTaken, dependency.startsFrame { targets.note(dependency.frameNumber) }
        return Verdict(
            isTaken: isTaken,
            marker: packet.marker || dependency.endsFrame && Int(dependency.spatialID) == current.spatial,
            announcedTargets: announced)
    }
}
