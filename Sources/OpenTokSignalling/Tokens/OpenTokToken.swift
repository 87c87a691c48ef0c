/// A client's token: leave to connect to one session, in one role. Times are seconds since 1970.
package struct OpenTokToken: Hashable, Sendable {
    /// How it is written.
    package enum Form: Hashable, Sendable {
        /// A JSON web token (RFC 7519), signed with HMAC-SHA256.
        case jwt
        /// `T1==`, signed with HMAC-SHA1.
        case plain
    }

    /// Bytes of a token that are read at all.
    package static let longest = 32 * 1024
    /// Characters of connection data, and of the layout classes with the blanks between them.
    package static let longestData = 1000
    /// Seconds from the time it was made to its end.
    package static let longestLifetime: Int64 = 30 * 86_400
    package static let defaultLifetime: Int64 = 86_400
    /// How far the clocks of two machines may differ, in seconds.
    package static let leeway: Int64 = 60

    /// The API key of the project whose secret signs.
    package var project: String
    package var sessionID: String
    package var role: OpenTokRole
    package var created: Int64
    package var expires: Int64
    /// What others see as the connection's data; it never changes.
    package var connectionData: String
    /// The first layout classes of the streams that its holder publishes.
    package var layoutClasses: [String]
    /// What makes two tokens of one second different.
    package var nonce: Int64

    package init(
        project: String, sessionID: String, role: OpenTokRole = .publisher, created: Int64, expires: Int64? = nil,
        connectionData: String = "", layoutClasses: [String] = [], nonce: Int64 = .random(in: 0...999_999)
    ) {
        self.project = project
        self.sessionID = sessionID
        self.role = role
        self.created = created
        self.expires = expires ?? created + Self.defaultLifetime
        self.connectionData = connectionData
        self.layoutClasses = layoutClasses
        self.nonce = nonce
    }

    /// The token's text. Throws what its reader would refuse.
    package func signed(_ form: Form = .jwt, secret: String) throws(OpenTokTokenError) -> String {
        try checkContent()
        guard expires > created else { throw .expired }
        return form == .jwt ? jwt(secret: secret) : plain(secret: secret)
    }

    /// The token of a text whose signature, content and times hold.
    ///
    /// - Parameters:
    ///   - secrets: API key to secret.
    ///   - session: the session that is connected to; nil for any.
    ///   - now: seconds since 1970.
    package init(
        verifying text: String, secrets: [String: String], session: String? = nil, now: Int64
    ) throws(OpenTokTokenError) {
        guard text.utf8.count <= Self.longest else { throw .tooLong }
        self =
            text.hasPrefix(Self.plainPrefix)
            ? try OpenTokToken(plain: text, secrets: secrets) : try OpenTokToken(jwt: text, secrets: secrets)
        try checkContent()
        guard session == nil || session == sessionID else { throw .otherSession }
        guard created - Self.leeway <= now else { throw .notYetValid }
        guard now < expires + Self.leeway else { throw .expired }
    }

    /// The secret of a project, which must be one of ours.
    static func secret(of project: String, in secrets: [String: String]) throws(OpenTokTokenError) -> String {
        guard OpenTokProject.isKey(project) else { throw .claim("the API key") }
        guard let secret = secrets[project] else { throw .unknownProject(project) }
        return secret
    }

    /// What both forms have in common, whichever it was read from.
    private func checkContent() throws(OpenTokTokenError) {
        let session: OpenTokSessionID
        do { session = try OpenTokSessionID(parsing: sessionID) } catch { throw .session(error) }
        guard session.belongs(to: project) else { throw .foreignSession }
        guard connectionData.unicodeScalars.count <= Self.longestData else { throw .connectionDataTooLong }
        guard layoutClassList.unicodeScalars.count <= Self.longestData else { throw .layoutClassListTooLong }
        guard Self.times.contains(created), Self.times.contains(expires) else { throw .claim("a time") }
        guard expires - created <= Self.longestLifetime else { throw .lifetimeTooLong }
    }

    /// Far beyond any clock, and far from the ends of the integers.
    private static let times: ClosedRange<Int64> = 0...1 << 48

    /// As both forms have it: with blanks between the classes.
    var layoutClassList: String { layoutClasses.joined(separator: " ") }

    static func layoutClasses(in list: String) -> [String] { list.split(separator: " ").map(String.init) }
}
