/// Text of others on our terminal, in our log and in our answers: whatever it holds, it steers no terminal and forges no line.
extension String {
    /// The text with every character escaped that a terminal acts upon or that ends a line: the controls C0 and C1
    /// (ECMA-48), the line and paragraph separators, and what is there without being seen, such as the marks, embeddings,
    /// overrides and isolates of bidirectional text (Unicode Standard Annex 9), but for the joiners that words and
    /// pictograms are made with. A newline becomes `\n`, all others `\u{1b}`.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isSteering) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(contentsOf: scalar.isSteering ? scalar.escaped.unicodeScalars : .init([scalar]))
        }
        return String(result)
    }

    /// The same of at most `limit` bytes of UTF-8, and an ellipsis where there was more.
    package func printable(limit: Int) -> String {
        if utf8.count <= limit, !unicodeScalars.contains(where: \.isSteering) { return self }
        var result = String.UnicodeScalarView()
        var room = limit
        for scalar in unicodeScalars {
            let shown = scalar.isSteering ? scalar.escaped : String(scalar)
            room -= shown.utf8.count
            guard room >= 0 else {
                result.append("…")
                break
            }
            result.append(contentsOf: shown.unicodeScalars)
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Acts upon a terminal, on the order of what it shows, or is not seen.
    package var isSteering: Bool {
        switch value {
        case 0x20...0x7e, 0x200c, 0x200d: return false
        // The tags that flags of regions are made with.
        case 0xe0020...0xe007f: return false
        default: break
        }
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: return true
        default: return false
        }
    }

    fileprivate var escaped: String {
        switch self {
        case "\n": "\\n"
        case "\r": "\\r"
        case "\t": "\\t"
        default: "\\u{\(String(value, radix: 16))}"
        }
    }
}
