/// A session description (RFC 8866) as JSEP peers write it (RFC 8829).
///
/// All lines are kept in order, known or not: a description that came with CRLF line ends is written byte for byte as it
/// was read. Typed accessors read the lines; values that do not parse are passed over by them, never an error.
package struct SDPSession: SDPSection, Hashable, Sendable {
    /// The session part, from `v=` up to the first m-line.
    package var lines: [SDPLine]
    /// The m-sections in order; the index is the m-line index of trickled candidates.
    package var media: [SDPMedia]

    package init(lines: [SDPLine] = [], media: [SDPMedia] = []) {
        self.lines = lines
        self.media = media
    }

    /// A description with `v=`, `o=`, `s=` and `t=` lines and nothing else.
    package init(origin: SDPOrigin) {
        self.init(lines: [
            .field(type: UInt8(ascii: "v"), value: "0"),
            .field(type: UInt8(ascii: "o"), value: origin.description),
            .field(type: UInt8(ascii: "s"), value: "-"),
            .field(type: UInt8(ascii: "t"), value: "0 0"),
        ])
    }

    /// The `o=` line; nil only in a value that was put together by hand without one.
    package var origin: SDPOrigin? { field("o").flatMap(SDPOrigin.init(parsing:)) }
    /// The `s=` line.
    package var sessionName: String? { field("s") }
    /// The `t=` line.
    package var timing: String? { field("t") }
    /// Every `a=group` (RFC 5888 section 5).
    package var groups: [SDPGroup] { values("group").compactMap(SDPGroup.init(parsing:)) }
    /// The mids of the first BUNDLE group in its order; the first one is the tag (RFC 9143). Nil without such a group.
    package var bundle: [String]? { groups.first { $0.semantics == "BUNDLE" }?.mids }
    /// `a=ice-lite` (RFC 8839 section 5.3).
    package var iceLite: Bool { has("ice-lite") }

    /// The m-section with that mid.
    package func media(mid: String) -> SDPMedia? { media.first { $0.mid == mid } }
}

extension SDPSession: CustomStringConvertible {
    /// The text with CRLF line ends.
    package var description: String {
        var text = ""
        writeLines(into: &text)
        for section in media {
            text += "m=\(section.mediaLine)\r\n"
            section.writeLines(into: &text)
        }
        // In just as much memory as it takes: descriptions are kept for as long as their call.
        return text.utf8.withContiguousStorageIfAvailable { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// The text as bytes.
    package func encoded() -> [UInt8] { Array(description.utf8) }
}
