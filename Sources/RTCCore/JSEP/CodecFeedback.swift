import RTCWire

/// The RTCP feedback of one codec (RFC 4585 section 4.2, RFC 5104 section 7.1) as a set.
package struct CodecFeedback: OptionSet, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Generic NACK.
    package static let nack = CodecFeedback(rawValue: 1)
    /// Picture loss indication.
    package static let pli = CodecFeedback(rawValue: 2)
    /// Full intra request.
    package static let fir = CodecFeedback(rawValue: 4)
    /// Transport-wide congestion control feedback.
    package static let transportCC = CodecFeedback(rawValue: 8)
    /// Receiver estimated maximum bitrate.
    package static let remb = CodecFeedback(rawValue: 16)

    private static let table: [(CodecFeedback, String)] = [
        (.remb, "goog-remb"), (.transportCC, "transport-cc"), (.fir, "ccm fir"), (.nack, "nack"), (.pli, "nack pli"),
    ]

    /// The feedback that those names of `a=rtcp-fb` stand for; other names are passed over.
    package init(names: some Sequence<String>) {
        self = []
        for name in names {
            for (feedback, known) in CodecFeedback.table where known == name { insert(feedback) }
        }
    }

    /// The names, in the order browsers write them.
    package var names: [String] { CodecFeedback.table.filter { contains($0.0) }.map(\.1) }
}
