/// Which identifier stands for which header extension in one session (RFC 8285 section 5): a plain value of two small
/// tables, cheap to copy and to look up in both directions.
package struct RTPExtensionMap: Hashable, Sendable {
    /// Identifier per kind, 0 for none.
    private var identifiers = InlineArray<16, UInt8>(repeating: 0)
    /// Kind per identifier below 16, `none` where there is none.
    private var kinds = InlineArray<16, UInt8>(repeating: RTPExtensionMap.none)
    /// Whether the two-byte form may be sent beside the one-byte form (`a=extmap-allow-mixed`, RFC 8285 section 6).
    package var allowsMixed = false

    private static let none: UInt8 = 0xff

    package init() {}

    /// A map of the given pairs; a later pair displaces an earlier one with the same identifier or kind.
    package init(_ pairs: [(id: UInt8, kind: RTPExtensionKind)]) {
        for pair in pairs { set(pair.id, pair.kind) }
    }

    /// The identifier of `kind`, 0 where it has none.
    package func id(for kind: RTPExtensionKind) -> UInt8 { identifiers[Int(kind.rawValue)] }

    /// The kind that `id` stands for.
    package func kind(for id: UInt8) -> RTPExtensionKind? {
        guard id != 0 else { return nil }
        if id < 16 { return RTPExtensionKind(rawValue: kinds[Int(id)]) }
        for kind in 0..<UInt8(RTPExtensionKind.allCases.count) where identifiers[Int(kind)] == id {
            return RTPExtensionKind(rawValue: kind)
        }
        return nil
    }

    /// Binds `kind` to `id` (1...255; 15 and what is above 14 need the two-byte form); 0 unbinds it.
    package mutating func set(_ id: UInt8, _ kind: RTPExtensionKind) {
        if let old = self.kind(for: id) { unbind(old) }
        unbind(kind)
        if id != 0 {
            identifiers[Int(kind.rawValue)] = id
            if id < 16 { kinds[Int(id)] = kind.rawValue }
        }
        hasLongIdentifiers = identifiers.indices.contains { identifiers[$0] > 14 }
    }

    /// Whether some kind has an identifier that the one-byte form can't carry.
    package private(set) var hasLongIdentifiers = false

    package static func == (a: RTPExtensionMap, b: RTPExtensionMap) -> Bool {
        guard a.allowsMixed == b.allowsMixed else { return false }
        return a.identifiers.indices.allSatisfy { a.identifiers[$0] == b.identifiers[$0] }
    }

    package func hash(into hasher: inout Hasher) {
        for index in identifiers.indices { hasher.combine(identifiers[index]) }
        hasher.combine(allowsMixed)
    }

    /// The bound pairs, ascending by identifier.
    package var pairs: [(id: UInt8, kind: RTPExtensionKind)] {
        RTPExtensionKind.allCases.map { (id(for: $0), $0) }.filter { $0.id != 0 }.sorted { $0.id < $1.id }
    }

    private mutating func unbind(_ kind: RTPExtensionKind) {
        let id = identifiers[Int(kind.rawValue)]
        identifiers[Int(kind.rawValue)] = 0
        if id != 0, id < 16 { kinds[Int(id)] = RTPExtensionMap.none }
    }
}
