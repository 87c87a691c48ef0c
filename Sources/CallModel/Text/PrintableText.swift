/// Text of others on our terminal: whatever it holds, it steers no terminal and forges no line.
extension String {
    /// The text with every character escaped that a terminal acts upon or that ends a line: the controls C0 and C1
    /// (ECMA-48), the line and paragraph separators, and the marks, embeddings, overrides and isolates of bidirectional
    /// text (Unicode Standard Annex 9). A newline becomes `\n`, all others `\u{1b}`.
    package var printable: String {
        guard unicodeScalars.contains(where: \.isSteering) else { return self }
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            result.append(contentsOf: scalar.isSteering ? scalar.escaped.unicodeScalars : .init([scalar]))
        }
        return String(result)
    }
}

extension Unicode.Scalar {
    /// Acts upon a terminal or on the order of what it shows.
    package var isSteering: Bool {
        switch value {
        case 0...0x1f, 0x7f...0x9f, 0x061c, 0x200e, 0x200f, 0x2028...0x202e, 0x2066...0x2069: true
        default: false
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
