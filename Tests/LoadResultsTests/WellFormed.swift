/// Whether elements are closed in the order in which they were opened, and attributes are quoted: enough of a parser to see
/// that nothing is broken. Parsers of others read the files in Tests/Interop.
enum WellFormed {
    /// What is wrong first; nil where nothing is.
    static func fault(_ text: String) -> String? {
        var open: [Substring] = []
        var rest = text[...]
        if rest.hasPrefix("<?xml"), let end = rest.range(of: "?>") { rest = rest[end.upperBound...] }
        while let start = rest.firstIndex(of: "<") {
            if let fault = textFault(rest[..<start]) { return fault }
            rest = rest[start...].dropFirst()
            guard let end = tagEnd(rest) else { return "a tag has no end: \(rest.prefix(60))" }
            let tag = rest[..<end]
            rest = rest[end...].dropFirst()
            let name = tag.prefix { $0.isLetter || $0.isNumber || $0 == "/" }
            if name.hasPrefix("/") {
                guard open.popLast() == name.dropFirst() else { return "</\(name.dropFirst())> closes another element" }
            } else if !tag.hasSuffix("/") {
                open.append(name)
            }
        }
        return open.isEmpty ? nil : "<\(open[open.count - 1])> is not closed"
    }

    /// The first `>` outside of quotes.
    private static func tagEnd(_ text: Substring) -> Substring.Index? {
        var isQuoted = false
        for index in text.indices {
            if text[index] == "\"" { isQuoted.toggle() }
            if text[index] == "<" { return nil }
            if text[index] == ">", !isQuoted { return index }
        }
        return nil
    }

    private static func textFault(_ text: Substring) -> String? {
        for part in text.split(separator: "&", omittingEmptySubsequences: false).dropFirst() {
            guard part.prefix(8).contains(";") else { return "a bare ampersand: \(text.prefix(60))" }
        }
        return nil
    }
}
