import Testing

@testable import LiveKitProtocol

@Suite struct AccessTokenTests {
    private let secrets = ["devkey": "secret"]
    private let now: Double = 1_800_000_000

    private func claims(expires: Int64 = 1_800_003_600, notBefore: Int64 = 1_800_000_000) -> TokenClaims {
        var claims = TokenClaims(issuer: "devkey", subject: "alice", notBefore: notBefore, expires: expires)
        claims.video = .join(room: "r")
        return claims
    }

    private func refusal(_ token: String) -> AccessTokenError? {
        do throws(AccessTokenError) {
            _ = try AccessToken.verify(token, secrets: secrets, now: now)
            return nil
        } catch { return error }
    }

    @Test func roundTrip() throws {
        var original = claims()
        original.name = "Alice / Ж"
        original.metadata = #"{"a":1}"#
        original.attributes = ["k": "v"]
        let token = AccessToken.mint(original, secret: "secret")
        #expect(try AccessToken.verify(token, secrets: secrets, now: now) == original)
        #expect(token.allSatisfy { $0 != "=" && $0 != "/" && $0 != "+" })
    }

    /// A token that PyJWT signed, through the server SDK from PyPI.
    @Test func tokenOfAnotherImplementation() throws {
        let token =
            "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9."
            + "eyJpc3MiOiJkZXZrZXkiLCJzdWIiOiJhbGljZSIsIm5iZiI6MTgwMDAwMDAwMCwiZXhwIjoxODAwMDAzNjAwLCJ2aWRlbyI6eyJyb29t"
            + "Sm9pbiI6dHJ1ZSwicm9vbSI6InIifX0.6MU1IFvuIC6BQfICGRPI_eySH6O-k-tu10GR6OFxEyU"
        let claims = try AccessToken.verify(token, secrets: secrets, now: now)
        #expect(claims.identity == "alice")
        #expect(claims.video?.room == "r")
        #expect(claims.video?.roomJoin == true)
        #expect(claims.video?.mayPublishData == true)
    }

    @Test func leewayIsOneMinute() {
        #expect(refusal(AccessToken.mint(claims(expires: 1_799_999_980), secret: "secret")) == nil)
        #expect(refusal(AccessToken.mint(claims(expires: 1_799_999_900), secret: "secret")) == .expired)
        #expect(refusal(AccessToken.mint(claims(notBefore: 1_800_000_020), secret: "secret")) == nil)
        #expect(refusal(AccessToken.mint(claims(notBefore: 1_800_000_100), secret: "secret")) == .notYetValid)
    }

    @Test func refusals() {
        var foreign = claims()
        foreign.issuer = "other"
        #expect(refusal(AccessToken.mint(foreign, secret: "secret")) == .unknownKey("other"))
        #expect(refusal(AccessToken.mint(claims(), secret: "wrong")) == .badSignature)
        for text in ["", "a.b", "a.b.c", "....", "é.é.é"] { #expect(refusal(text) == .notAToken) }
        let none = Base64.encodeURL(#"{"alg":"none"}"#.utf8)
        let body = AccessToken.mint(claims(), secret: "secret").split(separator: ".")[1]
        #expect(refusal("\(none).\(body).") == .unsupportedAlgorithm)
        #expect(AccessTokenError.unknownKey("k").description == "invalid API key: k")
    }

    @Test func identityFallsBackToTokenID() {
        var claims = TokenClaims(issuer: "k")
        #expect(claims.identity.isEmpty)
        claims.tokenID = "bob"
        #expect(claims.identity == "bob")
    }

    @Test(arguments: ["YWI_", "YWI/", "YWI_==", "YWI"])
    func base64OfEitherAlphabet(text: String) {
        #expect(Base64.decode(text)?.prefix(2) == [97, 98])
    }
}
