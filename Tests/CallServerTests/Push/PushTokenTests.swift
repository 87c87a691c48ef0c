import Foundation
import NIOConcurrencyHelpers
import NIOCore
import NIOHTTP1
import Testing
import TransportSecurity

@testable import CallServer

/// Tokens that the gateway makes itself: what is in them, when there is another, and what becomes of files that are none.
@Suite(.timeLimit(.minutes(10))) struct PushTokenTests {
    private static let team = "TEAM000001"
    private static let id = "KEY0000001"

    private static func key() throws -> (test: TestKey, key: SigningKey) {
        let test = try #require(TestKey.p256())
        return (test, try SigningKey(pem: Array(test.pem.utf8), for: .es256))
    }

    // MARK: Signatures

    @Test func providerTokensAreES256() throws {
        let (test, key) = try Self.key()
        var tokens = ProviderTokens(key, id: Self.id, team: Self.team)
        // Of R and S some begin with a zero: they keep their 32 bytes.
        for now in 0..<200 as Range<Int64> {
            let made = tokens.token(now: now * ProviderTokens.life)
            let token = try #require(made.flatMap { TestToken($0) })
            #expect(token.header as? [String: String] == ["alg": "ES256", "kid": Self.id])
            #expect(token.claims.count == 2 && token.claims["iss"] as? String == Self.team)
            #expect(token.claims["iat"] as? Int64 == now * ProviderTokens.life)
            #expect(token.signature.count == 64 && test.holds(token.signature, over: token.signed))
            #expect(!test.holds(token.signature, over: token.signed + "x"))
        }
    }

    private static func account(
        _ test: TestKey, url: String = "https://oauth2.example/token", change: (inout [String: Any]) -> Void = { _ in }
    ) throws -> [UInt8] {
        var object: [String: Any] = [
            "type": "service_account", "client_email": "push@project.example", "private_key_id": "k-1",
            "private_key": test.pem, "token_uri": url, "project_id": "project",
        ]
        change(&object)
        return Array(try JSONSerialization.data(withJSONObject: object))
    }

    @Test func assertionsAreRS256() throws {
        let test = try #require(TestKey.rsa())
        let account = try ServiceAccount(json: try Self.account(test))
        let assertion = try #require(account.assertion(now: 1_000))
        let token = try #require(TestToken(assertion))
        #expect(token.header as? [String: String] == ["alg": "RS256", "kid": "k-1", "typ": "JWT"])
        #expect(token.claims["iss"] as? String == "push@project.example")
        #expect(token.claims["aud"] as? String == "https://oauth2.example/token")
        #expect(token.claims["scope"] as? String == "https://www.googleapis.com/auth/firebase.messaging")
        #expect(token.claims["iat"] as? Int == 1_000 && token.claims["exp"] as? Int == 4_600)
        #expect(token.signature.count == 256 && test.holds(token.signature, over: token.signed))
        let form = String(decoding: ServiceAccount.form(assertion), as: UTF8.self)
        #expect(form == "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=\(assertion)")
    }

    // MARK: Lives

    @Test func oneTokenForFiftyMinutes() throws {
        var tokens = ProviderTokens(try Self.key().key, id: Self.id, team: Self.team)
        let first = tokens.token(now: 1_000)
        #expect(first != nil)
        for later in [0, 1, 1_200, 2_999] as [Int64] { #expect(tokens.token(now: 1_000 + later) == first) }
        let second = tokens.token(now: 4_000)
        #expect(second != first && second.flatMap { TestToken($0) }?.claims["iat"] as? Int == 4_000)
        // A clock that was put back: a token of the future is none.
        #expect(tokens.token(now: 3_999) != second)
        #expect(ProviderTokens.life >= ProviderTokens.shortestLife && ProviderTokens.life < ProviderTokens.longestLife)
    }

    @Test func aRefusedTokenIsReplacedAtOnceAndNotTooOften() throws {
        var tokens = ProviderTokens(try Self.key().key, id: Self.id, team: Self.team)
        let made = tokens.token(now: 0)
        let first = try #require(made)
        let isReplaced = tokens.refuse(first, now: 10)
        let other = tokens.token(now: 10)
        let second = try #require(other)
        #expect(isReplaced)
        #expect(second != first && tokens.token(now: 20) == second)
        // What was under way with the first one is refused later: nothing new comes of it.
        #expect(tokens.refuse(first, now: 20) && tokens.token(now: 20) == second)
        for now in [11, 600, 1_209] as [Int64] {
            #expect(!tokens.refuse(second, now: now) && tokens.token(now: now) == second, "APNs wants none so soon")
        }
        #expect(tokens.refuse(second, now: 1_210) && tokens.token(now: 1_210) != second)
    }

    /// Whatever carrier and clock do, there are never three tokens in twenty minutes, and none is as old as an hour.
    @Test(arguments: 0..<20 as Range<UInt64>) func randomLives(_ seed: UInt64) throws {
        var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        func random(_ bound: Int64) -> Int64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int64(state >> 33) % bound
        }
        var tokens = ProviderTokens(try Self.key().key, id: Self.id, team: Self.team)
        var (now, made, last): (Int64, [Int64], String) = (0, [], "")
        for _ in 0..<400 {
            now += random(900)
            let shown = tokens.token(now: now)
            let token = try #require(shown)
            if token != last { made.append(now) }
            last = token
            let age = now - (made.last ?? now)
            #expect(age < ProviderTokens.longestLife)
            if random(3) == 0 { _ = tokens.refuse(token, now: now) }
        }
        for (first, third) in zip(made, made.dropFirst(2)) { #expect(third - first >= ProviderTokens.shortestLife) }
    }

    @Test func accessTokensAreRenewedBeforeTheyEnd() {
        var tokens = AccessTokens()
        #expect(tokens.next(now: 0) == .exchange)
        tokens.note(status: 200, body: Array(#"{"access_token": "a.b", "expires_in": 3599}"#.utf8), now: 100)
        #expect(tokens.next(now: 100) == .use("a.b") && tokens.next(now: 3_398) == .use("a.b"))
        #expect(tokens.next(now: 3_399) == .exchange, "five minutes before")
        tokens.note(status: 200, body: Array(#"{"access_token": "c", "expires_in": 10}"#.utf8), now: 4_000)
        #expect(tokens.next(now: 4_008) == .use("c") && tokens.next(now: 4_009) == .exchange)
        #expect(tokens.refuse("a.b", now: 4_008) && tokens.next(now: 4_008) == .use("c"), "not this one")
        #expect(tokens.refuse("c", now: 4_008) && tokens.next(now: 4_008) == .exchange)
        tokens.note(status: 200, body: Array(#"{"access_token": "d"}"#.utf8), now: 4_008)
        #expect(!tokens.refuse("d", now: 4_067) && tokens.next(now: 4_067) == .use("d"), "not so soon again")
        #expect(tokens.refuse("d", now: 4_068) && tokens.next(now: 4_068) == .exchange)
    }

    @Test func anExchangeThatFailsIsNotRepeatedAtOnce() {
        var tokens = AccessTokens()
        tokens.note(failure: "nobody answers", now: 100)
        #expect(tokens.next(now: 100) == .fail("nobody answers") && tokens.next(now: 104) == .fail("nobody answers"))
        #expect(tokens.next(now: 105) == .exchange && tokens.next(now: 0) == .exchange, "a clock that was put back")
        for (status, body) in [
            (200, "{}"), (200, "[]"), (200, ""), (200, #"{"access_token": ""}"#), (200, #"{"access_token": "a b"}"#),
            (200, #"{"access_token": "a\r\nb"}"#), (200, #"{"access_token": 7}"#), (400, #"{"access_token": "a"}"#),
        ] {
            var tokens = AccessTokens()
            tokens.note(status: status, body: Array(body.utf8), now: 0)
            #expect(
                tokens.next(now: 0) == .fail("the exchange of our assertion was answered with status \(status)"),
                "\(body)")
        }
        tokens.note(status: 200, body: Array(#"{"access_token": "a", "expires_in": -5}"#.utf8), now: 200)
        #expect(tokens.next(now: 201) == .exchange)
    }

    // MARK: What is shown to carriers

    /// Takes what it is given, and answers by the token.
    private final class Carrier: PushPost {
        let shown = NIOLockedValueBox<[String]>([])
        let answer: @Sendable (String) -> PushAnswer

        init(_ answer: @escaping @Sendable (String) -> PushAnswer) { self.answer = answer }

        func send(_ request: PushRequest) async -> PushAnswer {
            let token = request.fields.last { $0.name == "authorization" }?.value ?? ""
            shown.withLockedValue { $0.append(token) }
            return answer(token)
        }

        func close() async {}
    }

    @Test func anExpiredTokenIsReplacedForTheSameNotification() async throws {
        let (_, key) = try Self.key()
        let source = ProviderTokenSource(ProviderTokens(key, id: Self.id, team: Self.team)) { 5_000 }
        let expired = try await source.token()
        let carrier = Carrier { token in
            token == "Bearer \(expired)"
                ? PushAnswer(status: 403, body: Array(#"{"reason": "ExpiredProviderToken"}"#.utf8))
                : PushAnswer(status: 200)
        }
        let post = AuthorizedPost(post: carrier, tokens: source)
        #expect(await post.send(PushRequest(body: [1])).status == 200)
        #expect(await post.send(PushRequest(body: [1])).status == 200)
        let shown = carrier.shown.withLockedValue(\.self)
        #expect(shown.count == 3 && Set(shown).count == 2 && shown[1] == shown[2])
        // A carrier that wants none at all is asked once more, and then as after every failure.
        let never = Carrier { _ in PushAnswer(status: 401) }
        let hopeless = AuthorizedPost(post: never, tokens: source)
        #expect(await hopeless.send(PushRequest(body: [1])).status == 401)
        #expect(never.shown.withLockedValue(\.count) == 1, "the last one is not twenty minutes old")
        let other = Carrier { _ in PushAnswer(status: 403, body: Array(#"{"reason": "TopicDisallowed"}"#.utf8)) }
        #expect(await AuthorizedPost(post: other, tokens: source).send(PushRequest(body: [1])).status == 403)
        #expect(other.shown.withLockedValue(\.count) == 1, "it is not the token's fault")
    }

    /// One exchange for all that wait, over HTTP; another one when the token is refused.
    @Test func assertionsAreExchanged() async throws {
        let test = try #require(TestKey.rsa())
        let asked = NIOLockedValueBox<[String]>([])
        var router = HTTPRouter()
        router.any(
            "/token", body: HTTPBodyGate(bytes: 16 * 1_024),
            later: { request, eventLoop in
                let type = request.headers.first(name: "content-type") ?? ""
                let number = asked.withLockedValue { asked in
                    asked.append("\(type) \(String(decoding: request.body.readableBytesView, as: UTF8.self))")
                    return asked.count
                }
                let answer = "{\"access_token\": \"access-\(number)\", \"expires_in\": 3600}"
                return eventLoop.makeSucceededFuture(.json(Array(answer.utf8)))
            })
        try await withHTTPServer(router) { server in
            let account = try ServiceAccount(
                json: try Self.account(test, url: "http://127.0.0.1:\(server.port)/token"))
            let source = AccessTokenSource(account, trust: TLSTrust(rootsFile: nil)) { 1_000 }
            let carrier = Carrier { PushAnswer(status: $0 == "Bearer access-1" ? 401 : 200) }
            let post = AuthorizedPost(post: carrier, tokens: source)
            async let first = source.token()
            async let second = source.token()
            let both = try await [first, second]
            #expect(both == ["access-1", "access-1"])
            #expect(await post.send(PushRequest(body: [1])).status == 200)
            #expect(carrier.shown.withLockedValue(\.self) == ["Bearer access-1", "Bearer access-2"])
            let forms = asked.withLockedValue(\.self)
            #expect(forms.count == 2)
            let form = try #require(forms.first)
            #expect(form.hasPrefix("application/x-www-form-urlencoded grant_type=urn%3Aietf%3Aparams%3Aoauth"))
            let assertion = try #require(form.split(separator: "=").last.map(String.init))
            let token = try #require(TestToken(assertion))
            #expect(test.holds(token.signature, over: token.signed))
        }
        let account = try ServiceAccount(json: try Self.account(test, url: "http://127.0.0.1:1/token"))
        let nobody = AccessTokenSource(account, trust: TLSTrust(rootsFile: nil)) { 1_000 }
        let answer = await AuthorizedPost(post: Carrier { _ in PushAnswer(status: 200) }, tokens: nobody)
            .send(PushRequest(body: [1]))
        #expect(answer.status == 0 && answer.failure?.hasPrefix("no access token: ") == true)
    }

    // MARK: Files

    private static func fault(_ pem: String, _ algorithm: SigningAlgorithm) -> SigningKeyFault? {
        do { _ = try SigningKey(pem: Array(pem.utf8), for: algorithm) } catch { return error }
        return nil
    }

    @Test func keysOfAnotherKind() throws {
        let (ec, rsa) = (try #require(TestKey.p256()), try #require(TestKey.rsa()))
        let short = try #require(TestKey.rsa(1_024))
        #expect(Self.fault(ec.pem, .es256) == nil && Self.fault(rsa.pem, .rs256) == nil)
        let curve = "an EC key on the curve P-256"
        #expect(Self.fault(rsa.pem, .es256) == .wrongKind("a key of the kind RSA", wanted: curve))
        #expect(Self.fault(ec.pem, .rs256) == .wrongKind("a key of the kind EC", wanted: "an RSA key"))
        #expect(Self.fault(TestKey.ed25519, .es256)?.words.contains("a key of the kind ED25519") == true)
        #expect(Self.fault(TestKey.p384, .es256)?.words.contains("an EC key on the curve secp384r1") == true)
        #expect(Self.fault(short.pem, .rs256)?.words.contains("an RSA key of 1024 bits") == true)
        for text in ["", "none", TestKey.encrypted, "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"] {
            #expect(Self.fault(text, .es256) == .notAKey, "\(text.prefix(40))")
        }
    }

    @Test func accountsThatAreNone() throws {
        let test = try #require(TestKey.rsa())
        func fault(_ json: [UInt8]) -> String {
            do { _ = try ServiceAccount(json: json) } catch { return error.words }
            return "none"
        }
        #expect(fault(try Self.account(test)) == "none")
        #expect(fault([]).contains("no JSON object") && fault(Array("[]".utf8)).contains("no JSON object"))
        for name in ["client_email", "private_key_id", "private_key", "token_uri"] {
            #expect(fault(try Self.account(test) { $0[name] = nil }).contains("\"\(name)\""), "\(name)")
            #expect(fault(try Self.account(test) { $0[name] = 7 }).contains("\"\(name)\""), "\(name)")
        }
        #expect(fault(try Self.account(test) { $0["type"] = "authorized_user" }).contains("\"service_account\""))
        #expect(fault(try Self.account(test) { $0["private_key"] = TestKey.p384 }).contains("an RSA key is needed"))
        for url in ["http://oauth2.example/token", "ftp://h/", "x", "https://u@h/", "https://h/#f"] {
            #expect(fault(try Self.account(test, url: url)).contains("no https URL"), "\(url)")
        }
        for url in ["http://127.0.0.1:1/token", "http://[::1]:1/token", "http://localhost:1/token"] {
            #expect(fault(try Self.account(test, url: url)) == "none", "\(url)")
        }
    }

    /// Faults of files name the file and the remedy, and nothing of what is in it.
    @Test func filesOfAServer() throws {
        let folder = NSTemporaryDirectory() + "push-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func fault(_ credentials: CallServerConfiguration.Push.Credentials) -> String {
            do {
                _ = try credentials.tokens(trust: TLSTrust(rootsFile: nil)) { 0 }
            } catch {
                return error.description
            }
            return "none"
        }
        func file(_ text: String) throws -> String {
            let path = folder + "/" + UUID().uuidString
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            return path
        }
        let (ec, rsa) = (try #require(TestKey.p256()), try #require(TestKey.rsa()))
        let good = try file(ec.pem)
        #expect(fault(.providerKey(file: good, id: Self.id, team: Self.team)) == "none")
        for (id, team) in [("short", Self.team), (Self.id, "TEAM-00001"), ("", Self.team), (Self.id, "TEAM0000011")] {
            #expect(fault(.providerKey(file: good, id: id, team: team)).contains("is not ten letters and digits"))
        }
        for path in [
            folder + "/none", folder, try file(rsa.pem), try file(""), try file(String(repeating: "x", count: 70_000)),
        ] {
            let key = fault(.providerKey(file: path, id: Self.id, team: Self.team))
            let account = fault(.serviceAccount(file: path))
            for words in [key, account] {
                #expect(words.contains(path) && !words.contains("BEGIN PRIVATE KEY-----\n"), "\(words)")
            }
        }
        #expect(fault(.serviceAccount(file: try file(String(decoding: Self.account(rsa), as: UTF8.self)))) == "none")
    }

    @Test func credentialsOfTheOtherCarrier() {
        var configuration = CallServerConfiguration(keys: ["k": "s"])
        configuration.push.apnsTopic = "example.app"
        configuration.push.apns = .init(url: "https://h", credentials: .serviceAccount(file: "f"))
        #expect(throws: CallServerConfigurationError.pushCredentials("APNs", "a provider key")) {
            try configuration.validate()
        }
        configuration.push.apns = nil
        configuration.push.fcm = .init(url: "https://h", credentials: .providerKey(file: "f", id: "", team: ""))
        #expect(throws: CallServerConfigurationError.pushCredentials("FCM", "a service account")) {
            try configuration.validate()
        }
    }
}
