import ArgumentParser
import OpenTokSignalling
import Testing

@testable import callagent

/// `token mint --opentok`.
@Suite struct OpenTokTokenTests {
    private static let session = OpenTokSessionID(project: "100", mediaMode: .routed, createdAt: 1_700_000_000_000).text
    private static let secret = "a secret of the project's own"

    private func mint(_ arguments: [String]) throws -> String {
        let command = try #require(
            try CallAgent.parseAsRoot(["token", "mint", "--key", "100", "--secret", Self.secret] + arguments)
                as? TokenCommand.MintCommand)
        return try command.openTok.token(
            of: try #require(command.openTok.session), key: "100", secret: Self.secret, now: 1_700_000_000,
            ttl: Int64(command.ttl))
    }

    @Test(arguments: [[], ["--plain"]], OpenTokRole.allCases)
    func aServerReadsIt(_ form: [String], _ role: OpenTokRole) throws {
        let text = try mint(
            [
                "--opentok", "--session", Self.session, "--role", role.rawValue, "--data", "name=ada", "--layout-class",
                "focus", "--layout-class", "wide", "--ttl", "60",
            ] + form)
        #expect(text.hasPrefix("T1==") == !form.isEmpty)
        let token = try OpenTokToken(
            verifying: text, secrets: ["100": Self.secret], session: Self.session, now: 1_700_000_030)
        #expect(token.role == role && token.connectionData == "name=ada" && token.layoutClasses == ["focus", "wide"])
        #expect(token.expires == 1_700_000_060)
    }

    @Test func thePublisherIsTheUsualRole() throws {
        let token = try OpenTokToken(
            verifying: try mint(["--opentok", "--session", Self.session]), secrets: ["100": Self.secret],
            now: 1_700_000_000)
        #expect(token.role == .publisher && token.expires == 1_700_021_600)
    }

    @Test(arguments: [
        (["--opentok"], "--opentok needs the --session"),
        (["--opentok", "--session", session, "--role", "king"], "--role king: use subscriber, publisher"),
        (["--opentok", "--session", session, "--room", "r"], "--room means nothing with --opentok"),
        (["--opentok", "--session", session, "--no-publish"], "the --role says what is allowed"),
        (["--room", "r", "--identity", "i", "--plain"], "--plain needs --opentok"),
        (["--room", "r"], "--identity is missing"),
    ])
    func whatDoesNotFitIsNamed(_ arguments: [String], _ words: String) {
        do {
            _ = try CallAgent.parseAsRoot(["token", "mint", "--key", "100", "--secret", Self.secret] + arguments)
            Issue.record("it was taken")
        } catch {
            #expect(CallAgent.fullMessage(for: error).contains(words), "\(CallAgent.fullMessage(for: error))")
        }
    }

    /// A session of another project, or what is none; a time that no token may have.
    @Test(arguments: [(session, "200", 60), ("nonsense", "100", 60), (session, "100", 31 * 86_400)])
    func whatCantBeSignedIsRefused(_ session: String, _ key: String, _ ttl: Int64) throws {
        let options = try OpenTokTokenOptions.parse(["--opentok", "--session", session])
        #expect(throws: ValidationError.self) {
            try options.token(of: session, key: key, secret: Self.secret, now: 1_700_000_000, ttl: ttl)
        }
    }
}
