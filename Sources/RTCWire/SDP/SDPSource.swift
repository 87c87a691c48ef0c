/// `a=ssrc:<ssrc> <attribute>[:<value>]` (RFC 5576 section 4.1).
package struct SDPSource: Hashable, Sendable {
    package var ssrc: UInt32
    /// `cname`, `msid` ...
    package var attribute: String
    package var value: String?

    package init(ssrc: UInt32, attribute: String, value: String?) {
        self.ssrc = ssrc
        self.attribute = attribute
        self.value = value
    }

    package init?(parsing text: String) {
        let (number, rest) = text.cut(at: UInt8(ascii: " "))
        guard let ssrc = UInt32(number) else { return nil }
        self.ssrc = ssrc
        (attribute, value) = (rest?.trimmed ?? "").cut(at: UInt8(ascii: ":"))
    }
}

extension SDPSource: CustomStringConvertible {
    package var description: String { "\(ssrc) \(attribute)" + (value.map { ":\($0)" } ?? "") }
}

/// `a=ssrc-group:<semantics> <ssrc> ...` (RFC 5576 section 4.2): FID pairs a stream with its RTX stream, SIM lists layers.
package struct SDPSourceGroup: Hashable, Sendable {
    package var semantics: String
    package var ssrcs: [UInt32]

    package init(semantics: String, ssrcs: [UInt32]) {
        self.semantics = semantics
        self.ssrcs = ssrcs
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard let first = parts.first else { return nil }
        semantics = first
        ssrcs = []
        for part in parts.dropFirst() {
            guard let ssrc = UInt32(part) else { return nil }
            ssrcs.append(ssrc)
        }
    }
}

extension SDPSourceGroup: CustomStringConvertible {
    package var description: String { ssrcs.reduce(semantics) { "\($0) \($1)" } }
}
