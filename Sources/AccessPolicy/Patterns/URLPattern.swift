/// Why a pattern can't be used.
public enum PatternFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// It is empty, longer than 512 bytes, or has blanks or signs beyond ASCII.
    case text
    /// What is wrong in it.
    case syntax(String)
    /// It has more states than are tried for a URL, or groups in groups in groups.
    case tooLarge

    /// One sentence.
    public var description: String {
        switch self {
        case .text: "use 1 to 512 visible characters of ASCII"
        case .syntax(let what): "it has \(what)"
        case .tooLarge: "it is too large; use fewer groups and repetitions"
        }
    }
}

/// A regular expression that a whole canonical URL fits, or not. A value.
///
/// Literals, `.`, sets, groups, `|`, `* + ? {2} {2,} {2,5}`, `\d \w`, and a backslash before what has a meaning. The slash that
/// ends a URL's authority is matched by a slash alone, so that `https://.*\.chat\.example/.*` takes
/// no host but those of chat.example. Time is bounded by 1,024 states for each byte of the URL, whatever the pattern.
public struct URLPattern: Sendable, Hashable, CustomStringConvertible {
    /// As it was given.
    public let text: String
    private let program: PatternProgram

    /// Throws `PatternFault`.
    public init(_ text: String) throws(PatternFault) {
        let bytes = Array(text.utf8)
        guard (1...512).contains(bytes.count), bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .text }
        program = try PatternProgram(try PatternParser.parse(bytes))
        self.text = text
    }

    /// Whether the URL fits.
    public func matches(_ url: CanonicalURL) -> Bool { program.matches(Array(url.text.utf8), wall: url.pathStart) }

    /// Whether a text without an authority fits.
    func matches(plain text: String) -> Bool { program.matches(Array(text.utf8), wall: nil) }

    /// The text.
    public var description: String { text }

    var states: Int { program.instructions.count }
}
