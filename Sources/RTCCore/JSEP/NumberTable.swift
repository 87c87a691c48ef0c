import RTCWire

/// The payload types and extension ids of our offers: one meaning each for the whole session, as BUNDLE requires
/// (RFC 9143 section 9.1), and the same ones from offer to offer.
struct NumberTable: Sendable {
    struct PayloadTypes: Hashable, Sendable {
        var primary: UInt8
        var rtx: UInt8?
    }

    private let numbering: NegotiatorConfiguration.Numbering
    /// The usual numbers of codecs that travel inside one another, which nobody else gets.
    private var pinned: Set<UInt8>
    /// By index of the capability.
    private var payloadTypes: [Int: PayloadTypes] = [:]
    private var extensionIDs: [RTPExtensionKind: UInt8] = [:]
    /// Numbers still to be given out, the next one last.
    private var freePayloadTypes: [UInt8]
    private var freeExtensionIDs: [UInt8]

    init(numbering: NegotiatorConfiguration.Numbering, codecs: [CodecCapability] = []) {
        self.numbering = numbering
        pinned = numbering == .fixed ? [] : NumberTable.pinned(codecs)
        // 64...95 stay unused: with the marker bit they look like RTCP (RFC 5761 section 4).
        var high = Array(UInt8(96)...127)
        var low = Array(UInt8(35)...63)
        var ids = Array(UInt8(1)...14)
        if case .random(let seed) = numbering {
            var generator = SplitMix(seed: seed)
            high.shuffle(using: &generator)
            low.shuffle(using: &generator)
            ids.shuffle(using: &generator)
        }
        let taken = pinned
        freePayloadTypes = (high + low).reversed().filter { !taken.contains($0) }
        freeExtensionIDs = ids.reversed()
    }

    /// A packet with redundancy names the codec inside by our number of it (RFC 2198 section 3), which servers pass on as
    /// it is, and LiveKit's writes 111 whatever was agreed: both ends must mean the same by it, so both codecs have the
    /// numbers that everybody uses.
    private static func pinned(_ codecs: [CodecCapability]) -> Set<UInt8> {
        let wrapping = codecs.filter { $0.carries != nil }
        let inside = Set(wrapping.compactMap(\.carries))
        return Set((wrapping + codecs.filter { inside.contains($0.name) }).compactMap(\.payloadType))
    }

    /// The numbers of a codec; drawn at its first use.
    mutating func payloadTypes(
        of index: Int, _ capability: CodecCapability
    ) throws(NegotiationError) -> PayloadTypes {
        if let known = payloadTypes[index] { return known }
        var result = PayloadTypes(primary: try primary(for: capability))
        if capability.hasRTX { result.rtx = try next(after: result.primary) }
        payloadTypes[index] = result
        return result
    }

    /// The id of an extension; drawn at its first use.
    mutating func id(of kind: RTPExtensionKind) throws(NegotiationError) -> UInt8 {
        if let known = extensionIDs[kind] { return known }
        guard let id = freeExtensionIDs.popLast() else { throw .numbersExhausted }
        extensionIDs[kind] = id
        return id
    }

    /// Takes over the numbers of the other side's offer, so that a later offer of ours doesn't give them another meaning.
    mutating func learn(_ numbers: PayloadTypes, of index: Int) {
        freePayloadTypes.removeAll { $0 == numbers.primary || $0 == numbers.rtx }
        pinned.remove(numbers.primary)
        if let rtx = numbers.rtx { pinned.remove(rtx) }
        if payloadTypes[index] == nil { payloadTypes[index] = numbers }
    }

    /// Takes over the extension ids of the other side's offer.
    mutating func learn(_ map: RTPExtensionMap) {
        for (id, kind) in map.pairs {
            freeExtensionIDs.removeAll { $0 == id }
            if extensionIDs[kind] == nil { extensionIDs[kind] = id }
        }
    }

    private mutating func primary(for capability: CodecCapability) throws(NegotiationError) -> UInt8 {
        if let wanted = capability.payloadType {
            if wanted < 35 || pinned.contains(wanted) { return wanted }
            if numbering == .fixed, let index = freePayloadTypes.firstIndex(of: wanted) {
                return freePayloadTypes.remove(at: index)
            }
        }
        guard let number = freePayloadTypes.popLast() else { throw .numbersExhausted }
        return number
    }

    /// RTX numbers follow their codec where numbers are fixed.
    private mutating func next(after primary: UInt8) throws(NegotiationError) -> UInt8 {
        if numbering == .fixed, let index = freePayloadTypes.firstIndex(of: primary &+ 1) {
            return freePayloadTypes.remove(at: index)
        }
        guard let number = freePayloadTypes.popLast() else { throw .numbersExhausted }
        return number
    }
}

/// A small generator with a seed (SplitMix64); good enough to shuffle numbers.
private struct SplitMix: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }
}
