/// `a=extmap:<id>[/<direction>] <URI>[ <attributes>]` (RFC 8285 section 8).
package struct SDPExtensionMapping: Hashable, Sendable {
    /// 1...14 for one-byte headers, up to 255 for two-byte headers; 4096 and more are only place-holders in offers.
    package var id: Int
    package var direction: MediaDirection?
    package var uri: String
    /// What follows the URI; for an encrypted extension (RFC 6904) the URI of the extension itself.
    package var attributes: String?

    package init(id: Int, uri: String, direction: MediaDirection? = nil, attributes: String? = nil) {
        self.id = id
        self.direction = direction
        self.uri = uri
        self.attributes = attributes
    }

    package init?(parsing text: String) {
        let parts = text.fields(limit: 3)
        guard parts.count >= 2 else { return nil }
        let (idText, directionText) = parts[0].cut(at: UInt8(ascii: "/"))
        guard let id = UInt16(idText), id > 0 else { return nil }
        self.id = Int(id)
        if let directionText {
            guard let direction = MediaDirection(rawValue: directionText) else { return nil }
            self.direction = direction
        }
        // Those that we know take no memory of their own, however many descriptions name them.
        uri = RTPExtensionKind(uri: parts[1])?.uri ?? parts[1]
        attributes = parts.count > 2 ? parts[2] : nil
    }

    /// True for `urn:ietf:params:rtp-hdrext:encrypt`.
    package var isEncrypted: Bool { uri == "urn:ietf:params:rtp-hdrext:encrypt" }
    /// True for a plain mapping in both directions with an id that a packet can carry.
    package var isUsable: Bool {
        !isEncrypted && (direction ?? .sendrecv) == .sendrecv && id != 15 && (1...255).contains(id)
    }
}

extension SDPExtensionMapping: CustomStringConvertible {
    package var description: String {
        "\(id)" + (direction.map { "/\($0.rawValue)" } ?? "") + " \(uri)" + (attributes.map { " \($0)" } ?? "")
    }
}
