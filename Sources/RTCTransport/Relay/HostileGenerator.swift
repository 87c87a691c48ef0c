import RTCSim
import RTCWire

/// Makes the datagrams of an attacker who sits on one participant's path: he sees and repeats everything, and has no key.
///
/// The same seed and the same observed traffic give the same datagrams.
package struct HostileGenerator {
    private var random: SeededChoice
    private var samples = [HostileSamples](repeating: HostileSamples(), count: RelayDirection.allCases.count)

    /// A datagram beyond what anybody sends or takes.
    private static let longest = 3000
    /// The usual datagram's bound.
    private static let usual = 1200

    package init(seed: UInt64) { random = SeededChoice(seed: seed) }

    /// Learns from a datagram that passes.
    package mutating func observe(_ bytes: UnsafeRawBufferPointer, _ direction: RelayDirection) {
        samples[direction.rawValue].keep(bytes)
    }

    /// The next datagram in that direction. What needs a sample that has not passed yet is replaced by random bytes.
    package mutating func next(_ direction: RelayDirection) -> (kind: HostileKind, bytes: [UInt8]) {
        let kinds = HostileKind.allCases
        let kind = kinds[random.below(kinds.count)]
        if let bytes = make(kind, direction) { return (kind, bytes) }
        return (.randomBytes, randomBytes())
    }

    /// A datagram of that kind; nil where it needs a sample that has not passed yet.
    package mutating func make(_ kind: HostileKind, _ direction: RelayDirection) -> [UInt8]? {
        let own = samples[direction.rawValue]
        switch kind {
        case .randomBytes: return randomBytes()
        case .truncated: return own.any(&random).map { Array($0.prefix(random.below($0.count))) }
        case .mutatedSTUN: return own.any(.stun, &random).map { mutatedSTUN($0) }
        // The record header up to the length, or the RTP or RTCP header up to the source, stays half of the time.
        case .mutatedDTLS: return own.any(.dtls, &random).map { mutated($0, sparing: 13) }
        case .mutatedRTP: return own.any(.rtp, &random).map { mutated($0, sparing: 12) }
        case .mutatedRTCP: return own.any(.rtcp, &random).map { mutated($0, sparing: 8) }
        case .replay: return own.any(&random)
        case .wrongIntegrity: return own.any(.stun, &random).flatMap { HostileSTUN.wrongIntegrity($0, &random) }
        case .forgedResponse:
            let requests = samples[direction.opposite.rawValue].any(.stun, &random)
            return requests.flatMap { HostileSTUN.forgedResponse(to: $0, &random) }
        case .forgedAlert: return alert()
        }
    }

    /// An answer to `request`, to be sent before the real one can be there.
    package mutating func answer(_ request: UnsafeRawBufferPointer) -> [UInt8]? {
        HostileSTUN.forgedResponse(to: Array(request), &random)
    }

    private mutating func randomBytes() -> [UInt8] {
        let limit = random.isOne(in: 32) ? HostileGenerator.longest : HostileGenerator.usual
        return random.bytes(random.below(limit + 1))
    }

    private mutating func mutated(_ sample: [UInt8], sparing header: Int) -> [UInt8] {
        guard !sample.isEmpty else { return sample }
        let first = sample.count > header && random.isOne(in: 2) ? header : 0
        var result = sample
        for _ in 0...random.below(6) {
            let change = UInt8(1 + random.below(255))
            result[first + random.below(sample.count - first)] ^= change
        }
        // Two changes of one byte may have undone each other.
        if result == sample { result[first] ^= 0x5a }
        return result
    }

    private mutating func mutatedSTUN(_ sample: [UInt8]) -> [UInt8] {
        let changed = mutated(sample, sparing: STUNMessage.headerLength)
        guard random.isOne(in: 2), let fitting = HostileSTUN.refingerprinted(changed), fitting != sample else {
            return changed
        }
        return fitting
    }

    /// RFC 6347 section 4.1, RFC 5246 section 7.2: record type 21, DTLS 1.2, epoch 0 or 1, level and description.
    private mutating func alert() -> [UInt8] {
        let epoch = UInt8(random.below(2))
        let level = UInt8(1 + random.below(2))
        let descriptions: [UInt8] = [0, 10, 20, 40, 47, 80, 90]
        let description = descriptions[random.below(descriptions.count)]
        return [21, 254, 253, 0, epoch] + random.bytes(6) + [0, 2, level, description]
    }
}
