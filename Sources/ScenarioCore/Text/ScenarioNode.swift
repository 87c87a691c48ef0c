/// A part of a scenario file, with its place.
package struct ScenarioNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        /// A scalar as it is written, without quotes; `isQuoted` tells `"5"` from `5`.
        case scalar(String, isQuoted: Bool)
        case list([ScenarioNode])
        case mapping([Entry])
    }

    package struct Entry: Hashable, Sendable {
        package var key: String
        package var keyPosition: SourcePosition
        package var value: ScenarioNode
    }

    package var content: Content
    package var position: SourcePosition

    /// What a person calls it.
    var kind: String {
        switch content {
        case .scalar("", isQuoted: false): "nothing"
        case .scalar(let text, _): "\"\(text.shortened)\""
        case .list: "a list"
        case .mapping: "a mapping"
        }
    }
}

extension String {
    /// For messages: no longer than a line bears.
    var shortened: String {
        let printable = String(String.UnicodeScalarView(unicodeScalars.prefix(60).map { $0.value < 32 ? " " : $0 }))
        return unicodeScalars.count > 60 ? printable + "..." : printable
    }
}
