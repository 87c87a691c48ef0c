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

    /// Chooses the target from this frame on; true where that is another one than before.
    mutating func beginFrame(
        _ frame: DependencyDescriptor, _ structure: DependencyStructure, active: UInt32, limit: LayerPoint
    ) -> Bool {
        let old = target
        let wanted = best(structure, active: active, limit: limit) { _ in true }
        if let old, old < structure.decodeTargets, !frame.hasStructure {
            if wanted != old, let next = next(frame, structure, active: active, limit: limit) { target = next }
        } else {
            target = wanted ?? lowest(structure, active: active)
        }
        isLimited = target != best(structure, active: active, limit: .highest) { _ in true }
        return old != nil && target != old
    }

    /// The limit asks for a lower spatial layer whose frames have not been sent, so that only a key frame leads there. That
    /// is so where layers refer to each other in key pictures alone, as with L3T3_KEY.
    func needsKeyFrame(_ structure: DependencyStructure, active: UInt32, limit: LayerPoint) -> Bool {
        guard let target, target < structure.decodeTargets,
            let wanted = best(structure, active: active, limit: limit, { _ in true })
        else { return false }
        let layer = structure.targetLayers[wanted].spatial
        guard layer < structure.targetLayers[target].spatial else { return false }
        return structure.templates.contains {
            $0.spatialID == layer && $0.temporalID == 0 && $0.indication(wanted) != .notPresent
                && $0.indication(target) == .notPresent
        }
    }

    /// The best target within the limit that can be taken up with this frame: better than the present one, unless that is
    /// beyond the limit or no longer sent.
    private func next(
        _ frame: DependencyDescriptor, _ structure: DependencyStructure, active: UInt32, limit: LayerPoint
    ) -> Int? {
        guard let target, isDecodable(frame) else { return nil }
        let candidate = best(structure, active: active, limit: limit) { frame.indication($0) == .switchPoint }
        guard let candidate else { return nil }
        let isKept = active & (1 << UInt32(target)) != 0 && isWithin(structure, target, limit)
        return isKept && rank(structure, candidate) < rank(structure, target) ? nil : candidate
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

    /// The highest active target within the limit that passes.
    private func best(
        _ structure: DependencyStructure, active: UInt32, limit: LayerPoint, _ passes: (Int) -> Bool
    ) -> Int? {
        var best: Int?
        for index in structure.targetLayers.indices where active & (1 << UInt32(index)) != 0 {
            guard isWithin(structure, index, limit), passes(index) else { continue }
            if let known = best, rank(structure, known) >= rank(structure, index) { continue }
            best = index
        }
        return best
    }

    private func lowest(_ structure: DependencyStructure, active: UInt32) -> Int {
        let sent = structure.targetLayers.indices.filter { active & (1 << UInt32($0)) != 0 }
        return sent.min { rank(structure, $0) < rank(structure, $1) } ?? 0
    }

    private func rank(_ structure: DependencyStructure, _ index: Int) -> Int {
        Int(structure.targetLayers[index].spatial) * 8 + Int(structure.targetLayers[index].temporal)
    }

    private func isWithin(_ structure: DependencyStructure, _ index: Int, _ limit: LayerPoint) -> Bool {
        let layers = structure.targetLayers[index]
        return Int(layers.spatial) <= limit.spatial && Int(layers.temporal) <= limit.temporal
    }
}
