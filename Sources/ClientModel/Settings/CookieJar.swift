/// A cookie of the application's own, which goes with each request to the service (RFC 6265).
public struct ClientCookie: Sendable, Hashable, Codable {
    /// A token of HTTP.
    public var name: String
    /// Visible characters of ASCII without quotes, commas, semicolons and backslashes.
    public var value: String
    /// When it is no longer sent, milliseconds of Unix time; nil for never.
    public var expiresAt: Int64?

    /// A cookie from its parts.
    public init(name: String, value: String, expiresAt: Int64? = nil) {
        self.name = name
        self.value = value
        self.expiresAt = expiresAt
    }

    /// What is wrong with it; nil where it can be sent.
    package var fault: String? {
        let separators = "()<>@,;:\\\"/[]?={}"
        guard (1...256).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !separators.utf8.contains($0) })
        else { return "the cookie \"\(name.prefix(40))\" has no name that HTTP allows; use letters, digits, - and _" }
        guard value.utf8.count <= 4_096,
            value.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"\",;\\".utf8.contains($0) })
        else { return "the value of the cookie \(name) can't be sent; percent-encode it" }
        return nil
    }
}

/// The application's cookies.
///
/// They come from the configuration or are set later. What was set last before a start is what the start sends; what is set
/// while the client runs is laid over what it has: the same names give way, others are added. They outlive a stop.
public struct CookieJar: Sendable, Hashable {
    /// Cookies that are kept.
    package static let capacity = 64

    /// In the order they were set.
    public private(set) var cookies: [ClientCookie] = []
    private var isRunning = false

    /// A jar with a configuration's cookies.
    public init(_ cookies: [ClientCookie] = []) { self.cookies = Self.merged([], cookies) }

    /// A start or a stop.
    package mutating func run(_ isRunning: Bool) { self.isRunning = isRunning }

    /// Sets cookies. Throws `ClientError` that names one that can't be sent, and changes nothing then.
    public mutating func set(_ new: [ClientCookie]) throws(ClientError) {
        for cookie in new {
            if let fault = cookie.fault { throw ClientError(.invalidConfiguration, fault, field: "cookies") }
        }
        let next = Self.merged(isRunning ? cookies : [], new)
        guard next.count <= Self.capacity else {
            throw ClientError(
                .invalidConfiguration, "\(next.count) cookies are too many; use at most \(Self.capacity)",
                field: "cookies")
        }
        cookies = next
    }

    /// The value of the `Cookie` field; nil where nothing is to be sent.
    ///
    /// - Parameter now: milliseconds of Unix time.
    public func header(now: Int64) -> String? {
        let current = cookies.filter { $0.expiresAt.map { $0 > now } ?? true }
        return current.isEmpty ? nil : current.map { "\($0.name)=\($0.value)" }.joined(separator: "; ")
    }

    private static func merged(_ old: [ClientCookie], _ new: [ClientCookie]) -> [ClientCookie] {
        var result = old
        for cookie in new {
            if let index = result.firstIndex(where: { $0.name == cookie.name }) {
                result[index] = cookie
            } else {
                result.append(cookie)
            }
        }
        return result
    }
}
