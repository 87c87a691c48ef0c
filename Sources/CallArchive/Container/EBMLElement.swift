/// One element of an EBML document (RFC 8794 section 5): an id, a size, data.
struct EBMLElement {
    let id: UInt32
    /// Where the element begins.
    let start: Int
    /// Where its data stand; up to the end of what is there where its size is not known.
    let data: Range<Int>

    /// Reads the head of the element at `offset`; nil where there is none.
    init?(at offset: Int, in bytes: [UInt8], until limit: Int) {
        var offset = offset
        start = offset
        guard let id = Self.number(&offset, bytes, limit, keepsMarker: true, longest: 4) else { return nil }
        guard let size = Self.number(&offset, bytes, limit, keepsMarker: false, longest: 8) else { return nil }
        self.id = UInt32(truncatingIfNeeded: id.value)
        let rest = UInt64(limit - offset)
        data = offset..<(offset + Int(size.isUnknown ? rest : min(size.value, rest)))
    }

    /// The elements in its data.
    func children(in bytes: [UInt8]) -> [EBMLElement] { Self.sequence(in: bytes, data) }

    /// The elements that stand one after the other in a range.
    static func sequence(in bytes: [UInt8], _ range: Range<Int>) -> [EBMLElement] {
        var result: [EBMLElement] = []
        var offset = range.lowerBound
        while offset < range.upperBound, let element = EBMLElement(at: offset, in: bytes, until: range.upperBound) {
            result.append(element)
            offset = element.data.upperBound
        }
        return result
    }

    /// A number whose length its first byte tells by its leading zeros.
    private static func number(
        _ offset: inout Int, _ bytes: [UInt8], _ limit: Int, keepsMarker: Bool, longest: Int
    ) -> (value: UInt64, isUnknown: Bool)? {
        guard offset < limit, bytes[offset] != 0 else { return nil }
        let length = bytes[offset].leadingZeroBitCount + 1
        guard length <= longest, offset + length <= limit else { return nil }
        var value = UInt64(bytes[offset])
        if !keepsMarker { value &= (1 << UInt64(8 - length)) - 1 }
        for index in 1..<max(length, 1) { value = value << 8 | UInt64(bytes[offset + index]) }
        offset += length
        return (value, value == (1 << UInt64(7 * length)) - 1)
    }
}
