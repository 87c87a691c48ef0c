import Testing

@testable import OpenTokSignalling

@Suite struct OpenTokTokenTests {
    private let vectors: SDKVectors
    private let token: OpenTokToken

    init() throws {
        vectors = try SDKVectors()
        token = OpenTokToken(
            project: vectors.project.key, sessionID: vectors.session.text, role: .moderator, created: vectors.now,
            expires: vectors.now + 3600, connectionData: "name=Jürgen & co", layoutClasses: ["focus", "inactive"],
            nonce: 7)
    }

    private func verify(_ text: String, session: String? = nil, at offset: Int64 = 0) throws -> OpenTokToken {
        try OpenTokToken(verifying: text, secrets: vectors.secrets, session: session, now: vectors.now + offset)
    }

    @Test("Tokens of the server SDK, of both forms and every role")
    func tokensOfTheSDK() throws {
        let tokens = try vectors.tokens()
        #expect(tokens.count == 10)
        for vector in tokens {
            let read = try verify(vector.text, session: vectors.session.text)
            var expected = token
            expected.role = vector.role
            expected.nonce = read.nonce
            if vector.isPlain {
                expected.expires = vectors.now + OpenTokToken.defaultLifetime
                expected.connectionData = ""
                expected.layoutClasses = []
            }
            #expect(read == expected)
            // We write what the SDK writes: the older form byte by byte, of the newer one the claims.
            let form = vector.isJWT ? OpenTokToken.Form.jwt : .plain
            let written = try read.signed(form, secret: vectors.project.secret)
            if vector.isJWT {
                #expect(try JSONWebToken(written).claims == JSONWebToken(vector.text).claims)
            } else {
                #expect(written == vector.text)
            }
        }
    }

    @Test(arguments: [OpenTokToken.Form.jwt, .plain], OpenTokRole.allCases)
    func roundTrip(form: OpenTokToken.Form, role: OpenTokRole) throws {
        var token = token
        token.role = role
        #expect(try verify(token.signed(form, secret: vectors.project.secret)) == token)
    }

    @Test(arguments: [OpenTokToken.Form.jwt, .plain])
    func refusals(form: OpenTokToken.Form) throws {
        let text = try token.signed(form, secret: vectors.project.secret)
        #expect(throws: OpenTokTokenError.badSignature) { try verify(token.signed(form, secret: "other")) }
        #expect(throws: OpenTokTokenError.otherSession) { try verify(text, session: "2_other") }
        #expect(throws: Never.self) { try verify(text, at: 3600 + 59) }
        #expect(throws: OpenTokTokenError.expired) { try verify(text, at: 3600 + 60) }
        #expect(throws: Never.self) { try verify(text, at: -60) }
        #expect(throws: OpenTokTokenError.notYetValid) { try verify(text, at: -61) }
        #expect(throws: OpenTokTokenError.unknownProject("12345")) {
            try OpenTokToken(verifying: text, secrets: [:], now: vectors.now)
        }
        #expect(throws: OpenTokTokenError.tooLong) {
            try verify(text + String(repeating: "A", count: OpenTokToken.longest))
        }
    }

    @Test("No token is made that its reader would refuse")
    func limits() throws {
        func refusal(_ change: (inout OpenTokToken) -> Void) -> OpenTokTokenError? {
            var token = token
            change(&token)
            return #expect(throws: OpenTokTokenError.self) { try token.signed(secret: vectors.project.secret) }
        }
        #expect(refusal { $0.connectionData = String(repeating: "é", count: 1001) } == .connectionDataTooLong)
        #expect(refusal { $0.layoutClasses = Array(repeating: "a", count: 501) } == .layoutClassListTooLong)
        #expect(refusal { $0.expires = $0.created + OpenTokToken.longestLifetime + 1 } == .lifetimeTooLong)
        #expect(refusal { $0.expires = $0.created } == .expired)
        #expect(refusal { $0.sessionID = "2_!" } == .session(.encoding))
        #expect(refusal { $0.project = "54321" } == .foreignSession)
        #expect(refusal { $0.created = .min } == .claim("a time"))
        var longest = token
        longest.connectionData = String(repeating: "😀", count: 1000)
        longest.layoutClasses = [String(repeating: "é", count: 1000)]
        for form in [OpenTokToken.Form.jwt, .plain] {
            #expect(try verify(longest.signed(form, secret: vectors.project.secret)) == longest)
        }
    }

    @Test("Claims that are missing or wrong, signed rightly")
    func claims() throws {
        let now = vectors.now
        let right: [String: JSON] = [
            "iss": "12345", "ist": "project", "iat": .integer(now), "exp": .integer(now + 60), "role": "subscriber",
            "scope": "session.connect", "session_id": .string(vectors.session.text),
        ]
        func refusal(_ name: String, _ value: JSON?) -> OpenTokTokenError? {
            var claims = right
            claims[name] = value
            let text = JSONWebToken.sign(.object(claims), secret: vectors.project.secret)
            do throws(OpenTokTokenError) {
                _ = try OpenTokToken(verifying: text, secrets: vectors.secrets, now: now)
                return nil
            } catch { return error }
        }
        #expect(refusal("jti", "x") == nil)
        #expect(refusal("role", nil) == nil)
        #expect(refusal("iat", .number(Double(now) + 0.5)) == nil)
        #expect(refusal("role", "admin") == .unknownRole)
        #expect(refusal("scope", "session.create") == .wrongScope)
        #expect(refusal("ist", "account") == .claim("ist"))
        #expect(refusal("iat", nil) == .claim("iat"))
        #expect(refusal("exp", "soon") == .claim("exp"))
        #expect(refusal("exp", .number(1e300)) == .claim("exp"))
        #expect(refusal("exp", .integer(.max)) == .claim("a time"))
        #expect(refusal("iat", .integer(.min)) == .claim("a time"))
        #expect(refusal("session_id", nil) == .claim("session_id"))
        #expect(refusal("connection_data", 5) == .claim("connection_data"))
        #expect(refusal("iss", nil) == .claim("iss"))
        #expect(refusal("iss", "a~b") == .claim("the API key"))
    }

    @Test func otherAlgorithmsAndOtherTexts() throws {
        for header in [#"{"alg":"none"}"#, #"{"alg":"RS256"}"#, "{}"] {
            let text = try token.signed(secret: vectors.project.secret)
            let parts = text.split(separator: ".")
            let forged = "\(Base64.encodeURL(Array(header.utf8))).\(parts[1]).\(parts[2])"
            #expect(throws: OpenTokTokenError.unsupportedAlgorithm) { try verify(forged) }
        }
        for text in ["", "T1==", "a.b", "a.b.c", "T1==!!!!", "T1==" + Base64.encode(Array("no colon".utf8)), "...."] {
            #expect(throws: OpenTokTokenError.notAToken) { try verify(text) }
        }
        let unsigned = "T1==" + Base64.encode(Array("partner_id=12345:session_id=x".utf8))
        #expect(throws: OpenTokTokenError.badSignature) { try verify(unsigned) }
        let nobody = "T1==" + Base64.encode(Array("sig=00:session_id=x".utf8))
        #expect(throws: OpenTokTokenError.claim("partner_id")) { try verify(nobody) }
    }

    @Test(
        "Times of the older form may be anything, and its end may be missing",
        arguments: [
            ("create_time=1800000000", nil), ("create_time=1800000000&expire_time=", nil),
            ("create_time=-9223372036854775808", OpenTokTokenError.claim("create_time")), ("", .claim("create_time")),
            ("create_time=1800000000&expire_time=9223372036854775807", .claim("a time")),
            ("create_time=1800000000&expire_time=x", .claim("expire_time")),
        ])
    func olderTimes(times: String, fault: OpenTokTokenError?) {
        let payload = "session_id=\(vectors.session.text)&role=publisher&\(times)"
        let code = MessageCode.sha1(payload.utf8, secret: vectors.project.secret)
        let hex = code.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
        let text = "T1==" + Base64.encode(Array("partner_id=12345&sig=\(hex):\(payload)".utf8))
        do throws(OpenTokTokenError) {
            let token = try OpenTokToken(verifying: text, secrets: vectors.secrets, now: vectors.now)
            #expect(fault == nil)
            #expect(token.expires == vectors.now + OpenTokToken.defaultLifetime)
        } catch { #expect(error == fault) }
    }

    @Test func roles() {
        #expect(OpenTokRole.subscriber.permissions() == .subscribe)
        #expect(OpenTokRole.subscriber.permissions(subscribersMaySignal: true) == [.subscribe, .signal])
        #expect(OpenTokRole.publisherOnly.permissions() == .publish)
        #expect(OpenTokRole.publisher.permissions().wireNames == ["publish", "subscribe", "signal"])
        let all = OpenTokRole.moderator.permissions()
        #expect(all.wireNames == ["publish", "subscribe", "signal", "forcemute", "forceunpublish", "forcedisconnect"])
        #expect(OpenTokPermissions(wireNames: all.wireNames + ["supervisor"]) == all)
    }

    @Test func whatClientsAreTold() {
        #expect(OpenTokTokenError.expired.clientCode == .authorizationFailure)
        #expect(OpenTokTokenError.session(.prefix).clientCode == .invalidSession)
        #expect(OpenTokTokenError.otherSession.clientCode.rawValue == 1005)
        #expect(
            OpenTokTokenError.unknownProject("9").description == "token: this server has no project with the API key 9")
    }
}
