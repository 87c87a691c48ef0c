/// What happens to a link that leads out of the client.
public enum LinkDecision: String, Sendable, Hashable, CaseIterable {
    /// The application opens it outside; a frame may load it.
    case open
    /// It is not followed, and the user is told.
    case block
    /// It is not followed, and nobody is told.
    case ignore
}

/// Where a link stands.
public enum LinkPlace: String, Sendable, Hashable {
    /// Somebody follows it.
    case navigation
    /// It is the address of a page inside a page.
    case frame
}

/// Decides about links before anything is asked of them; set when a client is configured.
public protocol ExternalLinkHandler: Sendable {
    /// What happens to the link. Asked for links to the service's own host too: they may open another application.
    ///
    /// - Parameters:
    ///   - url: visible ASCII without a backslash, and canonical where it is a URL of the web.
    ///   - place: where it stands.
    func decide(_ url: String, in place: LinkPlace) async -> LinkDecision
}

/// The same for all.
public struct FixedLinkHandler: ExternalLinkHandler {
    private let decision: LinkDecision

    /// - Parameter decision: what happens to every link.
    public init(_ decision: LinkDecision) { self.decision = decision }

    /// That decision.
    public func decide(_ url: String, in place: LinkPlace) async -> LinkDecision { decision }
}

/// Decides by a list of patterns; the first that fits counts, and what none fits is blocked.
///
///     # whom we link to
///     open   https://(www\.)?bank\.example/.*
///     ignore https://ads\.example/.*
///     open   mailto:.*
public struct PatternLinkHandler: ExternalLinkHandler, Hashable {
    private struct Rule: Hashable, Sendable {
        var decision: LinkDecision
        var pattern: URLPattern
    }

    private let rules: [Rule]

    /// - Parameter list: a rule a line, `open`, `block` or `ignore` and a pattern; `#` begins a comment. At most 1,000 rules.
    /// - Throws: `LinkListFault` that names the line.
    public init(_ list: String) throws(LinkListFault) {
        var rules: [Rule] = []
        for (index, line) in list.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let words = line.split(maxSplits: 1) { $0 == " " || $0 == "\t" }
            guard let first = words.first, !first.hasPrefix("#") else { continue }
            guard let decision = LinkDecision(rawValue: String(first)), words.count == 2 else {
                throw LinkListFault(line: index + 1, "write open, block or ignore, and a pattern")
            }
            let isBlank = { (character: Character) in character == " " || character == "\t" }
            let text = String(words[1].drop(while: isBlank).reversed().drop(while: isBlank).reversed())
            do throws(PatternFault) { rules.append(Rule(decision: decision, pattern: try URLPattern(text))) } catch {
                throw LinkListFault(line: index + 1, error.description)
            }
            guard rules.count <= 1_000 else { throw LinkListFault(line: index + 1, "there are more than 1000 rules") }
        }
        self.rules = rules
    }

    /// The decision of the first rule that fits; `block` where none does.
    public func decide(_ url: String, in place: LinkPlace) async -> LinkDecision {
        let canonical = try? CanonicalURL(url)
        return rules.first { canonical.map($0.pattern.matches) ?? $0.pattern.matches(plain: url) }?.decision ?? .block
    }
}

/// A line of a list of links that can't be read.
public struct LinkListFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// From 1.
    public let line: Int
    private let what: String

    init(line: Int, _ what: String) {
        self.line = line
        self.what = what
    }

    /// Names the line.
    public var description: String { "line \(line) of the list of links: \(what)" }
}
