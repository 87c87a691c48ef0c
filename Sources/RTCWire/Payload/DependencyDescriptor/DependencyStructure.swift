/// The template dependency structure: what the frames of a stream are like and what they refer to, AV1 RTP specification
/// section A.8.2. A key frame brings it, and later frames name one of its templates.
public struct DependencyStructure: Sendable, Hashable {
    /// Whether a frame is part of what a decode target shows, two bits.
    public enum Indication: UInt8, Sendable, Hashable {
        case notPresent, discardable
        /// The target's later frames need nothing before this one.
        case switchPoint
        case required
    }

    /// One kind of frame.
    package struct Template: Sendable, Hashable {
        package var spatialID: UInt8
        package var temporalID: UInt8
        /// Two bits a decode target, the first one lowest.
        package var indications: UInt64 = 0
        /// Frames that it refers to, counted back.
        package var references: [UInt16] = []
        /// Per chain, the distance to the chain's frame before it.
        package var chains: [UInt8] = []

        package func indication(_ target: Int) -> Indication { Indication(indications, target) }
    }

    package struct Size: Sendable, Hashable {
        package var width: Int
        package var height: Int
    }

    /// Templates at most: their identifiers have six bits.
    package static let maximumTemplates = 64

    /// Identifier of the first template, modulo 64.
    package private(set) var templateOffset: UInt8 = 0
    /// 1...32
    package private(set) var decodeTargets = 1
    package private(set) var templates: [Template] = []
    package private(set) var chainCount = 0
    /// The chain that protects a decode target; empty without chains.
    package private(set) var protectedBy: [UInt8] = []
    /// Of the spatial layers; empty where they aren't said.
    package private(set) var sizes: [Size] = []
    /// The highest layers of each decode target.
    package private(set) var targetLayers: [(spatial: UInt8, temporal: UInt8)] = []

    init(_ reader: inout BitReader, in bytes: RawSpan) throws(WireError) {
        templateOffset = UInt8(try reader.bits(6, in: bytes))
        decodeTargets = Int(try reader.bits(5, in: bytes)) + 1
        try readLayers(&reader, bytes)
        for index in templates.indices {
            for target in 0..<decodeTargets {
                templates[index].indications |= UInt64(try reader.bits(2, in: bytes)) << UInt64(2 * target)
            }
        }
        try readReferences(&reader, bytes)
        try readChains(&reader, bytes)
        targetLayers = (0..<decodeTargets).map(layers)
        guard try reader.flag(in: bytes) else { return }
        for _ in 0...(templates.last?.spatialID ?? 0) {
            let width = Int(try reader.bits(16, in: bytes)) + 1
            sizes.append(Size(width: width, height: Int(try reader.bits(16, in: bytes)) + 1))
        }
    }

    private mutating func readLayers(_ reader: inout BitReader, _ bytes: RawSpan) throws(WireError) {
        var spatial: UInt8 = 0
        var temporal: UInt8 = 0
        while true {
            guard templates.count < DependencyStructure.maximumTemplates else { throw .invalidValue }
            templates.append(Template(spatialID: spatial, temporalID: temporal))
            switch try reader.bits(2, in: bytes) {
            case 0: break
            case 1: temporal += 1
            case 2: (spatial, temporal) = (spatial + 1, 0)
            default: return
            }
            guard spatial < 4, temporal < 8 else { throw .invalidValue }
        }
    }

    private mutating func readReferences(_ reader: inout BitReader, _ bytes: RawSpan) throws(WireError) {
        for index in templates.indices {
            while try reader.flag(in: bytes) {
                guard templates[index].references.count < DependencyDescriptor.maximumReferences else {
                    throw .invalidValue
                }
                templates[index].references.append(UInt16(try reader.bits(4, in: bytes)) + 1)
            }
        }
    }

    private mutating func readChains(_ reader: inout BitReader, _ bytes: RawSpan) throws(WireError) {
        chainCount = try reader.number(below: decodeTargets + 1, in: bytes)
        guard chainCount > 0 else { return }
        for _ in 0..<decodeTargets { protectedBy.append(UInt8(try reader.number(below: chainCount, in: bytes))) }
        for index in templates.indices {
            for _ in 0..<chainCount { templates[index].chains.append(UInt8(try reader.bits(4, in: bytes))) }
        }
    }

    /// What a target shows at most: the layers of its frames.
    private func layers(of target: Int) -> (spatial: UInt8, temporal: UInt8) {
        var result: (spatial: UInt8, temporal: UInt8) = (0, 0)
        for template in templates where template.indication(target) != .notPresent {
            result.spatial = max(result.spatial, template.spatialID)
            result.temporal = max(result.temporal, template.temporalID)
        }
        return result
    }

    /// All decode targets as a bit mask.
    package var allTargets: UInt32 { decodeTargets == 32 ? .max : 1 << UInt32(decodeTargets) - 1 }

    /// The template of that identifier, six bits.
    func template(_ identifier: UInt8) -> Template? {
        let index = Int((identifier &+ 64 &- templateOffset) & 63)
        return index < templates.count ? templates[index] : nil
    }

    /// Whether both describe the same templates.
    public static func == (a: DependencyStructure, b: DependencyStructure) -> Bool {
        a.templateOffset == b.templateOffset && a.decodeTargets == b.decodeTargets && a.templates == b.templates
            && a.protectedBy == b.protectedBy && a.sizes == b.sizes
    }

    /// Of what tells structures apart.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(templateOffset)
        hasher.combine(templates)
    }
}

extension DependencyStructure.Indication {
    init(_ indications: UInt64, _ target: Int) {
        self = DependencyStructure.Indication(rawValue: UInt8(indications >> UInt64(2 * target) & 3)) ?? .notPresent
    }
}
