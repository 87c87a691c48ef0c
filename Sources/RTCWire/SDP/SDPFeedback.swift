/// `a=rtcp-fb:<payload type or *> <type>[ <parameter>]` (RFC 4585 section 4.2).
package struct SDPFeedback: Hashable, Sendable {
    /// Nil for `*`, which means every payload type of the section.
    package var payloadType: UInt8?
    /// `nack`, `nack pli`, `ccm fir`, `transport-cc`, `goog-remb` ...: type and parameter with one space between.
    package var name: String

    package init(payloadType: UInt8?, name: String) {
        self.payloadType = payloadType
        self.name = name
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard parts.count >= 2 else { return nil }
        if parts[0] != "*" {
            guard let payloadType = UInt8(parts[0]), payloadType < 128 else { return nil }
            self.payloadType = payloadType
        }
        name = parts[1...].joined(separator: " ")
    }
}

extension SDPFeedback: CustomStringConvertible {
    package var description: String { "\(payloadType.map { String($0) } ?? "*") \(name)" }
}
