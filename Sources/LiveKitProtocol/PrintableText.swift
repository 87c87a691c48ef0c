/// Text of others, made fit for a log line or an answer: one line, and not long.
package enum PrintableText {
    /// Control characters, line ends and the marks that turn the direction of text are written as `\u{..}`; what is beyond
    /// `limit` bytes of UTF-8 is cut off and replaced by an ellipsis.
    package static func of(_ text: some StringProtocol, limit: Int = 1_024) -> String {
        if text.utf8.count <= limit, text.utf8.allSatisfy({ (0x20..<0x7f).contains($0) }) { return String(text) }
        var result = ""
        for scalar in text.unicodeScalars {
            guard result.utf8.count < limit else { return result + "…" }
            if isPlain(scalar) {
                result.unicodeScalars.append(scalar)
            } else {
                result += "\\u{" + String(scalar.value, radix: 16) + "}"
            }
        }
        return result
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }
}
