import RTCWire

/// The latest datagrams of each kind that passed in one direction: what an attacker on the path has to work with.
struct HostileSamples {
    private static let perKind = 16

    private var rings = [[[UInt8]]](repeating: [], count: PacketKind.allCases.count)
    private var written = [Int](repeating: 0, count: PacketKind.allCases.count)

    mutating func keep(_ bytes: UnsafeRawBufferPointer) {
        let kind = Int(PacketKind.classify(bytes.bytes).rawValue)
        if rings[kind].count < HostileSamples.perKind {
            rings[kind].append(Array(bytes))
        } else {
            rings[kind][written[kind] % HostileSamples.perKind] = Array(bytes)
        }
        written[kind] &+= 1
    }

    /// One of the latest of that kind; nil where none has passed.
    func any(_ kind: PacketKind, _ random: inout SeededChoice) -> [UInt8]? {
        let ring = rings[Int(kind.rawValue)]
        return ring.isEmpty ? nil : ring[random.below(ring.count)]
    }

    /// One of the latest of any kind.
    func any(_ random: inout SeededChoice) -> [UInt8]? {
        let kinds = rings.indices.filter { !rings[$0].isEmpty }
        guard !kinds.isEmpty else { return nil }
        let ring = rings[kinds[random.below(kinds.count)]]
        return ring[random.below(ring.count)]
    }
}
