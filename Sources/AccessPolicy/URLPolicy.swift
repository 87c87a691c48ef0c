/// Which URLs a client asks at all. A value.
///
/// Allowed are the base URL and what is below its path, on the same host and port and as safe; STUN and TURN servers on the base's host, on any
/// port; and whatever one of the patterns takes. Every request is judged before anything is looked up or sent, and so is every hop of a
/// redirection.
public struct URLPolicy: Sendable, Hashable {
    /// Patterns of one policy.
    public static let mostPatterns = 64
    /// States of all of them together: what judging a URL may cost.
    static let mostStates = 4 * 1_024

    /// The base.
    public let base: CanonicalURL
    /// What is allowed beside it.
    public let patterns: [URLPattern]

    /// - Parameters:
    ///   - base: `http://`, `https://`, `ws://` or `wss://`, without a query.
    ///   - patterns: regular expressions that whole URLs fit; see `URLPattern`.
    /// - Throws: `URLPolicyFault` that names what can't be used.
    public init(base: String, patterns: [String] = []) throws(URLPolicyFault) {
        let url: CanonicalURL
        do throws(URLFault) { url = try CanonicalURL(base) } catch { throw .base(error) }
        guard !url.isMediaServer, url.query == nil else { throw .base(.scheme) }
        try self.init(url, patterns)
    }

    private init(_ base: CanonicalURL, _ texts: [String]) throws(URLPolicyFault) {
        guard texts.count <= Self.mostPatterns else { throw .tooMany }
        var patterns: [URLPattern] = []
        for text in texts {
            do throws(PatternFault) { patterns.append(try URLPattern(text)) } catch { throw .pattern(text, error) }
        }
        guard patterns.reduce(0, { $0 + $1.states }) <= Self.mostStates else { throw .tooMany }
        self.base = base
        self.patterns = patterns
    }

    /// What patterns are worth, where there is no base yet. Throws `URLPolicyFault`.
    public static func validate(patterns: [String]) throws(URLPolicyFault) {
        _ = try URLPolicy(base: "https://localhost", patterns: patterns)
    }

    /// Throws `URLRefusal` where the URL is not to be asked; gives it in its canonical spelling.
    @discardableResult public func check(_ url: String) throws(URLRefusal) -> CanonicalURL {
        let canonical: CanonicalURL
        do throws(URLFault) { canonical = try CanonicalURL(url) } catch {
            throw URLRefusal(url: URLRefusal.shown(url), fault: error)
        }
        guard allows(canonical) else { throw URLRefusal(url: canonical.shown, fault: nil) }
        return canonical
    }

    /// Whether the URL may be asked.
    public func allows(_ url: CanonicalURL) -> Bool {
        isBelowBase(url) || patterns.contains { $0.matches(url) }
    }

    private func isBelowBase(_ url: CanonicalURL) -> Bool {
        guard url.host == base.host else { return false }
        if url.isMediaServer { return true }
        guard url.port == base.port, url.isSecure == base.isSecure else { return false }
        let root = base.path.hasSuffix("/") ? base.path : base.path + "/"
        return url.path == base.path || url.path.hasPrefix(root)
    }
}

/// Why a policy can't be made.
public enum URLPolicyFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The base URL can't be used.
    case base(URLFault)
    /// That pattern can't be used.
    case pattern(String, PatternFault)
    /// More than 64 patterns, or patterns of more than 4,096 states together.
    case tooMany

    /// One sentence.
    public var description: String {
        switch self {
        case .base(let fault): "the base URL can't be used: \(fault); write it as https://host or https://host/path"
        case .pattern(let text, let fault): "the pattern \"\(text.prefix(80))\" can't be used: \(fault)"
        case .tooMany: "these are too many patterns; use at most 64, and fewer repetitions in them"
        }
    }
}

/// A URL is not asked: the policy does not allow it, or it can't be judged. Nothing was sent.
public struct URLRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// Without query, userinfo and fragment; at most 200 bytes.
    public let url: String
    /// What is wrong with the URL itself; nil where it is only not allowed.
    public let fault: URLFault?

    package init(url: String, fault: URLFault?) {
        self.url = url
        self.fault = fault
    }

    /// Names the URL, without its query, and the remedy.
    public var description: String {
        if let fault { return "\(url) is not asked: \(fault); write it plainly" }
        return "\(url) is not asked: it is neither below the base URL nor allowed by a pattern; "
            + "if it belongs to the service, allow it with a pattern"
    }

    /// What may be shown of a text that is no plain URL: scheme and host, printable, without what comes before an `@`.
    package static func shown(_ url: String) -> String {
        var text = url.utf8.prefix(2_048).prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        if let at = text.lastIndex(of: UInt8(ascii: "@")) { text = text[text.index(after: at)...] }
        let bytes = text.prefix(200).map { (0x21...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
        return "\"\(String(decoding: bytes, as: UTF8.self))\""
    }
}
