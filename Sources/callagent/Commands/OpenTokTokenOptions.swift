import ArgumentParser
import OpenTokSignalling

/// What a token for an OpenTok-style session says.
struct OpenTokTokenOptions: ParsableArguments {
    @Flag(
        name: .customLong("opentok"),
        help: "A token for an OpenTok-style session; --key and --secret are the project's.")
    var isOpenTok = false
    @Option(name: .long, parsing: .unconditional, help: "With --opentok: the id of the session.")
    var session: String?
    @Option(
        name: .long, parsing: .unconditional,
        help: "With --opentok: subscriber, publisher, publisheronly or moderator; publisher by default.")
    var role: String?
    @Option(name: .long, parsing: .unconditional, help: "With --opentok: the connection's data, which others see.")
    var data: String?
    @Option(
        name: .long, parsing: .unconditionalSingleValue,
        help: "With --opentok: a layout class of the streams; may be repeated.")
    var layoutClass: [String] = []
    @Flag(name: .long, help: "With --opentok: in the older form, T1==, instead of a JSON web token.")
    var plain = false

    /// Whether this is what is asked for.
    func isChosen() throws -> Bool {
        guard isOpenTok else {
            let used = [
                ("--session", session != nil), ("--role", role != nil), ("--data", data != nil),
                ("--layout-class", !layoutClass.isEmpty), ("--plain", plain),
            ]
            if let option = used.first(where: \.1) { throw ValidationError("\(option.0) needs --opentok.") }
            return false
        }
        guard session != nil else { throw ValidationError("--opentok needs the --session that the token is for.") }
        _ = try chosenRole()
        return true
    }

    private func chosenRole() throws -> OpenTokRole {
        guard let role else { return .publisher }
        guard let known = OpenTokRole(rawValue: role) else {
            throw ValidationError("--role \(role): use subscriber, publisher, publisheronly or moderator.")
        }
        return known
    }

    func token(of session: String, key: String, secret: String, now: Int64, ttl: Int64) throws -> String {
        let token = OpenTokToken(
            project: key, sessionID: session, role: try chosenRole(), created: now, expires: now + ttl,
            connectionData: data ?? "", layoutClasses: layoutClass)
        do throws(OpenTokTokenError) {
            return try token.signed(plain ? .plain : .jwt, secret: secret)
        } catch {
            throw ValidationError("--session \(session.prefix(64)): \(error)")
        }
    }
}
