/// What a path of the server means.
///
///     /whip/{room}                            the endpoint that publishers offer to
///     /whep/{room}                            the one for viewers of the room's first publisher
///     /whep/{room}/{participant}              the one for viewers of one participant
///     /whip/{room}/session/{id}               a session
package enum WHIPPath: Sendable, Hashable {
    case endpoint(WHIPRole, room: String, participant: String?)
    case session(WHIPRole, room: String, id: String)

    /// - Parameter path: as sent, percent-encoded.
    package init?(_ path: String) {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        let names = parts.compactMap { Self.decode(Substring($0)) }
        guard names.count == parts.count, (2...4).contains(names.count), let role = WHIPRole(rawValue: names[0]),
            !names.dropFirst().contains("")
        else { return nil }
        switch (names.count, role) {
        case (2, _): self = .endpoint(role, room: names[1], participant: nil)
        case (3, .viewer): self = .endpoint(role, room: names[1], participant: names[2])
        case (4, _) where names[2] == Self.session: self = .session(role, room: names[1], id: names[3])
        default: return nil
        }
    }

    /// Where a session is found.
    package static func location(_ role: WHIPRole, room: String, id: String) -> String {
        "/\(role.rawValue)/\(encode(room))/\(session)/\(encode(id))"
    }

    private static let session = "session"

    /// Percent-decoded; nil for what is no text then.
    private static func decode(_ text: Substring) -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard rest.count >= 2, let value = UInt8(String(rest.prefix(2)) ?? "", radix: 16) else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }

    /// Letters, digits, `-`, `.`, `_` and `~` stand for themselves (RFC 3986 section 2.3).
    private static func encode(_ text: String) -> String {
        var result = ""
        for byte in text.utf8 {
            let scalar = Unicode.Scalar(byte)
            let isPlain =
                scalar.properties.isASCIIHexDigit || ("g"..."z").contains(scalar) || ("G"..."Z").contains(scalar)
                || "-._~".unicodeScalars.contains(scalar)
            let digits = String(byte, radix: 16, uppercase: true)
            result += isPlain ? String(scalar) : "%" + (digits.count < 2 ? "0" + digits : digits)
        }
        return result
    }
}
