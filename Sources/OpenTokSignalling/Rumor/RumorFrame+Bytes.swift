extension RumorFrame {
    /// The frame as it travels. Throws where something is longer than its field or our bounds.
    package func encoded() throws(RumorFault) -> [UInt8] {
        guard addresses.count <= Self.largestAddressCount else { throw .tooManyAddresses }
        guard headers.count <= Self.largestHeaderCount else { throw .tooManyHeaders }
        var result: [UInt8] = [0, 0, 0, 0, 0, 0, kind.rawValue, UInt8(addresses.count)]
        for address in addresses { try Self.append(address, limit: Self.longestName, .nameTooLong, to: &result) }
        result.append(UInt8(headers.count))
        for header in headers {
            try Self.append(header.name, limit: Self.longestName, .nameTooLong, to: &result)
            try Self.append(header.value, limit: Int(UInt16.max), .valueTooLong, to: &result)
        }
        result.append(contentsOf: payload)
        guard let length = UInt32(exactly: result.count - 4) else {
            throw .frameTooLong(bytes: result.count, limit: Int(UInt32.max))
        }
        for index in 0..<4 { result[index] = UInt8(truncatingIfNeeded: length >> UInt32(24 - 8 * index)) }
        return result
    }

    private static func append(
        _ text: String, limit: Int, _ fault: RumorFault, to out: inout [UInt8]
    ) throws(RumorFault) {
        let bytes = Array(text.utf8)
        guard bytes.count <= limit else { throw fault }
        out.append(UInt8(truncatingIfNeeded: bytes.count >> 8))
        out.append(UInt8(truncatingIfNeeded: bytes.count))
        out.append(contentsOf: bytes)
    }

    /// Reads what follows the length of one frame.
    init(body: ArraySlice<UInt8>) throws(RumorFault) {
        var reader = RumorFieldReader(rest: body)
        guard try reader.byte() == 0, try reader.byte() == 0 else { throw .reserved }
        let number = try reader.byte()
        guard let kind = Kind(rawValue: number) else { throw .unknownKind(number) }
        self.init(kind)
        let addressCount = Int(try reader.byte())
        guard addressCount <= Self.largestAddressCount else { throw .tooManyAddresses }
        for _ in 0..<addressCount { addresses.append(try reader.text(limit: Self.longestName)) }
        let headerCount = Int(try reader.byte())
        guard headerCount <= Self.largestHeaderCount else { throw .tooManyHeaders }
        for _ in 0..<headerCount {
            let name = try reader.text(limit: Self.longestName)
            headers.append(Header(name, try reader.text(limit: Int(UInt16.max))))
        }
        payload = Array(reader.rest)
    }
}

/// Takes fields off the front of a frame.
private struct RumorFieldReader {
    var rest: ArraySlice<UInt8>

    mutating func byte() throws(RumorFault) -> UInt8 {
        guard let byte = rest.popFirst() else { throw .truncated }
        return byte
    }

    mutating func text(limit: Int) throws(RumorFault) -> String {
        let length = Int(try byte()) << 8 | Int(try byte())
        guard length <= limit else { throw .nameTooLong }
        guard length <= rest.count else { throw .truncated }
        defer { rest = rest.dropFirst(length) }
        guard let text = String(validating: rest.prefix(length), as: UTF8.self) else { throw .text }
        return text
    }
}
