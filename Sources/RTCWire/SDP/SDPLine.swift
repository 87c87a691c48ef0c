/// One attribute, `a=<name>` or `a=<name>:<value>` (RFC 8866 section 5.13).
package struct SDPAttribute: Hashable, Sendable {
    package var name: String
    /// What follows the first colon, untouched; nil for a property attribute such as `rtcp-mux`.
    package var value: String?

    package init(_ name: String, _ value: String? = nil) {
        self.name = name
        self.value = value
    }
}

/// One line of a description. Lines we do not know are kept like all others, so that text survives a round trip.
package enum SDPLine: Hashable, Sendable {
    case attribute(SDPAttribute)
    /// Any line but `a=`; `type` is its ASCII letter.
    case field(type: UInt8, value: String)

    /// The text without its line end.
    package func write(into text: inout String) {
        switch self {
        case .attribute(let attribute):
            text += "a="
            text += attribute.name
            if let value = attribute.value {
                text += ":"
                text += value
            }
        case .field(let type, let value):
            text.unicodeScalars.append(Unicode.Scalar(type))
            text += "="
            text += value
        }
    }
}
