package import AccessPolicy

/// What a client is made from: where the service is, and what only the client can know. Everything else is the service's
/// configuration. The client keeps a copy; to change it, make another client.
public struct ClientConfiguration: Sendable, Hashable, Codable {
    /// What happens to a conversation whose interceptor does not answer in time.
    public enum InterceptorTimeout: String, Sendable, Hashable, Codable {
        /// It is begun without what the interceptor would have added.
        case proceed
        /// It is not begun.
        case refuse
    }

    /// `http://` or `https://` URL of the service, with or without a path.
    public var serverURL: String
    /// Names the settings that the service has for this application; applications of different kinds have different keys.
    public var apiKey: String
    /// The path of the application's entry at the service, from its root: begins with a slash; empty for none.
    public var entryPath = ""
    /// Whom calls show, and what conversations of visitors without a token of their own are kept under.
    public var displayName = ""
    /// The area whose configuration is loaded, and whose agents are asked.
    public var namedArea: String?
    /// Sent with each request until others are set.
    public var cookies: [ClientCookie] = []
    /// What may be asked beside `serverURL` and what is below it: regular expressions that whole URLs fit (`URLPattern`).
    public var allowedURLs: [String] = []
    /// Keys, one of which has to be in the verified chain of each server: `sha256/` and 32 bytes in Base64; at least two, or none.
    public var pins: [String] = []
    /// How long a start may take, milliseconds.
    public var startTimeout = 30_000
    /// How long an interceptor may take, milliseconds.
    public var interceptorTimeout = 10_000
    /// What happens after that time.
    public var interceptorTimeoutPolicy = InterceptorTimeout.refuse
    /// Messages that may wait for the service, over all conversations.
    public var queuedMessages = 1_000

    /// The least that a client needs.
    public init(serverURL: String, apiKey: String) {
        self.serverURL = serverURL
        self.apiKey = apiKey
    }

    /// Reads what is there; what is left out has its default.
    public init(from decoder: any Decoder) throws {
        let fields = try decoder.container(keyedBy: CodingKeys.self)
        func read<Value: Decodable>(_ key: CodingKeys, _ value: inout Value) throws {
            if let given = try fields.decodeIfPresent(Value.self, forKey: key) { value = given }
        }
        self.init(
            serverURL: try fields.decode(String.self, forKey: .serverURL),
            apiKey: try fields.decode(String.self, forKey: .apiKey))
        try read(.entryPath, &entryPath)
        try read(.displayName, &displayName)
        namedArea = try fields.decodeIfPresent(String.self, forKey: .namedArea)
        try read(.cookies, &cookies)
        try read(.allowedURLs, &allowedURLs)
        try read(.pins, &pins)
        try read(.startTimeout, &startTimeout)
        try read(.interceptorTimeout, &interceptorTimeout)
        try read(.interceptorTimeoutPolicy, &interceptorTimeoutPolicy)
        try read(.queuedMessages, &queuedMessages)
    }

    /// From an environment: `CALLBRIDGE_SERVER_URL`, `CALLBRIDGE_API_KEY`, and, where they are there,
    /// `CALLBRIDGE_NAMED_AREA` and `CALLBRIDGE_DISPLAY_NAME`. Throws `ClientError` that names what is missing.
    public init(environment: [String: String]) throws(ClientError) {
        func required(_ name: String) throws(ClientError) -> String {
            guard let value = environment[name], !value.isEmpty else {
                throw ClientError(.invalidConfiguration, "\(name) is not set; give it a value", field: name)
            }
            return value
        }
        self.init(
            serverURL: try required("CALLBRIDGE_SERVER_URL"), apiKey: try required("CALLBRIDGE_API_KEY"))
        namedArea = environment["CALLBRIDGE_NAMED_AREA"]
        displayName = environment["CALLBRIDGE_DISPLAY_NAME"] ?? ""
    }

    /// Throws `ClientError` that names the first field that can't be used, and what it can be.
    public func validate() throws(ClientError) {
        func refuse(_ field: String, _ message: String) throws(ClientError) {
            throw ClientError(.invalidConfiguration, "\(field): \(message)", field: field)
        }
        if let fault = ServerAddress.fault(in: serverURL) { try refuse("serverURL", fault) }
        guard (1...128).contains(apiKey.utf8.count), apiKey.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return try refuse("apiKey", "use 1 to 128 visible characters of ASCII, as the service has given them")
        }
        guard entryPath.isEmpty || entryPath.hasPrefix("/"),
            entryPath.utf8.allSatisfy({ (0x21...0x7E).contains($0) && !"?#\\\"".utf8.contains($0) })
        else { return try refuse("entryPath", "\"\(entryPath.prefix(80))\" is no path; begin it with a slash") }
        guard displayName.utf8.count <= 128 else { return try refuse("displayName", "use at most 128 bytes") }
        if let namedArea, !(1...128).contains(namedArea.utf8.count) {
            try refuse("namedArea", "use 1 to 128 bytes, or nil for none")
        }
        for cookie in cookies { if let fault = cookie.fault { try refuse("cookies", fault) } }
        do throws(URLPolicyFault) { _ = try urlPolicy() } catch {
            if case .base = error { try refuse("serverURL", "\(error)") }
            try refuse("allowedURLs", "\(error)")
        }
        do throws(PinFault) { _ = try certificatePins() } catch { try refuse("pins", "\(error)") }
        guard (100...600_000).contains(startTimeout) else {
            return try refuse("startTimeout", "\(startTimeout) ms; use 100 to 600000")
        }
        guard (1...600_000).contains(interceptorTimeout) else {
            return try refuse("interceptorTimeout", "\(interceptorTimeout) ms; use 1 to 600000")
        }
        guard (1...100_000).contains(queuedMessages) else {
            return try refuse("queuedMessages", "\(queuedMessages); use 1 to 100000")
        }
    }
}

extension ClientConfiguration {
    /// What the client asks at all. Throws `URLPolicyFault`.
    package func urlPolicy() throws(URLPolicyFault) -> URLPolicy {
        try URLPolicy(base: serverURL, patterns: allowedURLs)
    }

    /// The pins; nil where there are none. Throws `PinFault`.
    package func certificatePins() throws(PinFault) -> CertificatePins? {
        pins.isEmpty ? nil : try CertificatePins(pins)
    }
}

/// What a server's URL may be. The shell's URL parser is not asked: a configuration is judged without one.
enum ServerAddress {
    /// What is wrong with the URL; nil where it can be used.
    static func fault(in url: String) -> String? {
        let remedy = "write it as https://host or http://host:port"
        guard url.utf8.count <= 2_048, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return "it has blanks or signs beyond ASCII, or is too long; \(remedy)"
        }
        let lower = url.lowercased()
        guard let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }) else {
            return "\"\(url.prefix(80))\" is no URL of HTTP; \(remedy)"
        }
        let rest = url.dropFirst(scheme.count)
        guard !rest.contains(where: { "?#\\".contains($0) }) else { return "it has a query or a fragment; \(remedy)" }
        let authority = rest.prefix { $0 != "/" }
        guard !authority.contains("@") else { return "it has credentials in it; give a token source instead" }
        return isAuthority(authority) ? nil : "it has no host, or a port that is none; \(remedy)"
    }

    private static func isAuthority(_ authority: Substring) -> Bool {
        if authority.hasPrefix("[") {
            guard let end = authority.firstIndex(of: "]") else { return false }
            let address = authority[authority.index(after: authority.startIndex)..<end]
            return !address.isEmpty && address.allSatisfy { $0.isHexDigit || $0 == ":" || $0 == "." }
                && isPort(authority[authority.index(after: end)...])
        }
        let host = authority.prefix { $0 != ":" }
        return !host.isEmpty
            && host.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "." || $0 == "-" || $0 == "_") }
            && isPort(authority[host.endIndex...])
    }

    /// Nothing, or a colon and 1...65535.
    private static func isPort(_ text: Substring) -> Bool {
        guard !text.isEmpty else { return true }
        guard text.hasPrefix(":"), let port = Int(text.dropFirst()), text.dropFirst().allSatisfy(\.isNumber) else {
            return false
        }
        return (1...65_535).contains(port)
    }
}
