/// `a=group:<semantics> <mid> ...` (RFC 5888 section 5).
package struct SDPGroup: Hashable, Sendable {
    package var semantics: String
    package var mids: [String]

    package init(semantics: String, mids: [String]) {
        self.semantics = semantics
        self.mids = mids
    }

    package init?(parsing text: String) {
        let parts = text.fields()
        guard let first = parts.first else { return nil }
        semantics = first
        mids = Array(parts.dropFirst())
    }
}

extension SDPGroup: CustomStringConvertible {
    package var description: String { ([semantics] + mids).joined(separator: " ") }
}
