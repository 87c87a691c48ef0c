import RTCWire

/// Which decode target of a dependency structure one consumer gets. It is changed at frames that the structure marks as
/// switching points, where everything that such a frame refers to has been sent.
struct DecodeTargetFilter {
    /// The decode target; nil before the first frame.
    private var target: Int?
    /// What is taken is less than the structure's most.
    private(set) var isLimited = false
    /// Frames that were sent, by the lower bits of their number; -1 for none.
    private var sent = InlineArray<64, Int32>(repeating: -1)

    /// Chooses the target from this frame on; true where that is another one than before, or the choice of targets is.
    mutating func beginFrame(
        _ frame: DependencyDescriptor, _ structure: DependencyStructure, active: UInt32, limit: LayerPoint
    ) -> Bool {
        let wanted = best(structure, active: active, limit: limit)
        let old = target
        if frame.hasStructure || old == nil || old ?? 0 >= structure.decodeTargets {
            target = wanted
        } else if wanted != old, frame.indication(wanted) == .switchPoint, isDecodable(frame) {
            target = wanted
        }
        let top = best(structure, active: active, limit: .highest)
        isLimited = target != top
        return old != nil && target != old
    }

    func takes(_ frame: DependencyDescriptor) -> Bool {
        guard let target else { return true }
        return frame.indication(target) != .notPresent
    }

    mutating func note(_ frame: UInt16) { sent[Int(frame & 63)] = Int32(frame) }

    /// The layers of the target.
    func layers(_ structure: DependencyStructure) -> LayerPoint {
        guard let target, target < structure.targetLayers.count else { return LayerPoint(spatial: 0, temporal: 0) }
        let layers = structure.targetLayers[target]
        return LayerPoint(spatial: Int(layers.spatial), temporal: Int(layers.temporal))
    }

    /// The targets that can be shown with what is sent.
    func mask(_ structure: DependencyStructure, active: UInt32) -> UInt32 {
        let highest = layers(structure)
        var mask: UInt32 = 0
        for (index, layers) in structure.targetLayers.enumerated()
        where Int(layers.spatial) <= highest.spatial && Int(layers.temporal) <= highest.temporal {
            mask |= 1 << UInt32(index)
        }
        return mask & active
    }

    private func isDecodable(_ frame: DependencyDescriptor) -> Bool {
        for index in 0..<frame.referenceCount {
            let number = frame.frameNumber &- frame.references[index]
            guard sent[Int(number & 63)] == Int32(number) else { return false }
        }
        return true
    }

    /// The highest active target within the limit, else the lowest active one.
    private func best(_ structure: DependencyStructure, active: UInt32, limit: LayerPoint) -> Int {
        var best: Int?
        var lowest: Int?
        func rank(_ index: Int) -> Int {
            Int(structure.targetLayers[index].spatial) * 8 + Int(structure.targetLayers[index].temporal)
        }
        for index in structure.targetLayers.indices where active & (1 << UInt32(index)) != 0 {
            let layers = structure.targetLayers[index]
            if lowest.map({ rank($0) > rank(index) }) ?? true { lowest = index }
            guard Int(layers.spatial) <= limit.spatial, Int(layers.temporal) <= limit.temporal else { continue }
            if best.map({ rank($0) < rank(index) }) ?? true { best = index }
        }
        return best ?? lowest ?? 0
    }
}
