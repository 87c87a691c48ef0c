import Testing

@testable import OpenTokSignalling

/// Tokens with which something has been done on the way.
@Suite struct SpoiltTokenTests {
    private static let now: Int64 = 1_800_000_000
    private static let secrets = ["12345": "secret"]
    private static let session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1).text

    private static func token(_ role: OpenTokRole = .publisher) -> OpenTokToken {
        OpenTokToken(
            project: "12345", sessionID: session, role: role, created: now, connectionData: "name=Ada & Bob=ž",
            layoutClasses: ["focus", "wide"], nonce: 7)
    }

    private static func read(_ text: String, now: Int64 = now) throws -> OpenTokToken {
        try OpenTokToken(verifying: text, secrets: secrets, session: session, now: now)
    }

    /// Whichever character is another one, the token is none of ours, or says just what it said.
    @Test(arguments: [OpenTokToken.Form.jwt, .plain]) func noCharacterCanBeChanged(_ form: OpenTokToken.Form) throws {
        let token = Self.token(.subscriber)
        let text = Array(try token.signed(form, secret: "secret"))
        for index in text.indices {
            for letter in ["A", "z", "0", "=", ".", " "] as [Character] where text[index] != letter {
                var spoilt = text
                spoilt[index] = letter
                guard let read = try? Self.read(String(spoilt)) else { continue }
                #expect(read == token, "character \(index) as \(letter)")
            }
        }
    }

    @Test(arguments: [OpenTokToken.Form.jwt, .plain]) func noPartOfATokenIsAToken(_ form: OpenTokToken.Form) throws {
        let text = try Self.token().signed(form, secret: "secret")
        for count in 0..<text.count - 2 {
            #expect(throws: OpenTokTokenError.self, "\(count) characters") { try Self.read(String(text.prefix(count))) }
        }
        #expect(throws: OpenTokTokenError.self) { try Self.read(text + String(repeating: "A", count: 40_000)) }
    }
}
