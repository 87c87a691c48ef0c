import Synchronization

/// A decision about a link, as the log has it.
public struct LinkRecord: Sendable, Hashable {
    /// Counts from 1.
    public let number: Int
    /// Without query, userinfo and fragment.
    public let url: String
    /// Where it stood.
    public let place: LinkPlace
    /// What was decided.
    public let decision: LinkDecision
}

/// The latest decisions about links. A value.
public struct LinkLog: Sendable, Hashable {
    /// Decisions that are kept.
    public static let longest = 256
    private var ring: [LinkRecord] = []
    private var count = 0

    /// An empty one.
    public init() {}

    mutating func add(_ url: String, _ place: LinkPlace, _ decision: LinkDecision) {
        count += 1
        let record = LinkRecord(number: count, url: url, place: place, decision: decision)
        if ring.count < Self.longest { ring.append(record) } else { ring[(count - 1) % Self.longest] = record }
    }

    /// From the oldest that is kept.
    public var records: [LinkRecord] {
        guard ring.count == Self.longest else { return ring }
        let oldest = count % Self.longest
        return Array(ring[oldest...] + ring[..<oldest])
    }
}

/// Asks the handler about links, and remembers what it said.
public final class LinkGuard: Sendable {
    private let handler: any ExternalLinkHandler
    private let kept = Mutex(LinkLog())

    /// - Parameter handler: decides.
    public init(_ handler: any ExternalLinkHandler) { self.handler = handler }

    /// What happens to a link. One that can't be read in one way alone is blocked without asking.
    ///
    /// - Parameters:
    ///   - url: the link, with a scheme.
    ///   - place: where it stands.
    ///   - policy: pages inside pages that the client's own policy allows are not asked about.
    public func decide(_ url: String, in place: LinkPlace, within policy: URLPolicy? = nil) async -> LinkDecision {
        let (shown, asked) = Self.read(url)
        let decision: LinkDecision =
            if let asked {
                if place == .frame, let policy, let url = try? CanonicalURL(asked), policy.allows(url) {
                    .open
                } else {
                    await handler.decide(asked, in: place)
                }
            } else { .block }
        kept.withLock { $0.add(shown, place, decision) }
        return decision
    }

    /// The latest decisions.
    public var log: [LinkRecord] { kept.withLock { $0.records } }

    /// What is logged, and what the handler is asked about; nil where nothing is.
    private static func read(_ url: String) -> (String, String?) {
        do throws(URLFault) {
            let canonical = try CanonicalURL(url)
            return (canonical.shown, canonical.text)
        } catch {
            let shown = URLRefusal.shown(url)
            // Links of other schemes (mailto:, an application's own) have no authority that could be read in two ways.
            guard error == .scheme, let scheme = scheme(of: url), !Self.dangerous.contains(scheme) else {
                return (shown, nil)
            }
            return (shown, url)
        }
    }

    /// Pages of these run, or show, what the link itself holds, or what is on this machine.
    private static let dangerous: Set = ["javascript", "data", "vbscript", "file", "blob", "about"]

    /// RFC 3986 section 3.1, in lower case.
    private static func scheme(of url: String) -> String? {
        guard let colon = url.utf8.firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let scheme = url.utf8[..<colon]
        guard let first = scheme.first, (65...90).contains(first) || (97...122).contains(first),
            scheme.allSatisfy({ (ByteSet.word.contains($0) && $0 != 0x5F) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E })
        else { return nil }
        return String(url[..<colon]).lowercased()
    }
}
