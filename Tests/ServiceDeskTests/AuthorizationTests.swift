import ServiceDesk
import ServiceDeskCore
import Testing

@Suite struct AuthorizationTests {
    private func registry() throws -> AuthorizationRegistry {
        var registry = AuthorizationRegistry(salt: "salt")
        try registry.enroll(appID: "app", userID: "ada", securityKey: "key-1")
        return registry
    }

    private func status(_ registry: AuthorizationRegistry, _ key: String, user: String = "ada", app: String = "app")
        -> Set<Int>
    {
        let request = AuthorizationRequest(appID: app, userID: user, securityKey: key)
        return Set(
            AuthorizationRequest.Encoding.allCases.map { encoding in
                registry.answer(
                    DeskHTTPRequest(
                        "POST", "/authorize", contentType: encoding.contentType, body: request.body(encoding))
                ).status
            })
    }

    @Test func theThreeAnswers() throws {
        let registry = try registry()
        #expect(status(registry, "key-1") == [200])
        #expect(status(registry, "key-2") == [403] && status(registry, "key-1", user: "bob") == [403])
        #expect(status(registry, "key-1", app: "other") == [403])
        #expect(status(registry, String(repeating: "k", count: 100)) == [403])
        #expect(status(registry, String(repeating: "k", count: 101)) == [400])
        #expect(status(registry, "key-1", user: String(repeating: "u", count: 101)) == [400])
    }

    /// What the conformance client asks has the answers it takes for right.
    @Test func theReferenceConforms() throws {
        let registry = try registry()
        let checks = AuthorizationCheck.all(
            known: AuthorizationRequest(appID: "app", userID: "ada", securityKey: "key-1"))
        #expect(checks.count == 28 && Set(checks.map(\.name)).count == 28)
        for check in checks {
            let answer = registry.answer(
                DeskHTTPRequest(check.method, "/authorize", contentType: check.contentType, body: check.body))
            #expect(AuthorizationCheckResult(check, status: answer.status).isRight, "\(check.name): \(answer.status)")
        }
    }

    /// Services that get one thing wrong are found out.
    @Test func otherServicesDoNotConform() {
        let known = AuthorizationRequest(appID: "app", userID: "ada", securityKey: "key-1")
        for always in [200, 400, 403, 404, 500] {
            let wrong = AuthorizationCheck.all(known: known).filter {
                !AuthorizationCheckResult($0, status: always).isRight
            }
            #expect(wrong.count >= 8, "\(always)")
        }
        #expect(AuthorizationCheck.all(known: known).allSatisfy { !AuthorizationCheckResult($0, status: nil).isRight })
    }

    @Test(arguments: [
        ("application/x-www-form-urlencoded; charset=utf-8", "app_id=app&user_id=ada&security_key=key-1", 200),
        ("Application/JSON", #"{"app_id":"app","user_id":"ada","security_key":"key-1","more":[1]}"#, 200),
        ("application/json", "app_id=app&user_id=ada&security_key=key-1", 400),
        ("application/x-www-form-urlencoded", #"{"app_id":"app","user_id":"ada","security_key":"key-1"}"#, 400),
        ("text/plain", "app_id=app&user_id=ada&security_key=key-1", 400), ("", "", 400),
        ("application/json", #"{"app_id":"app","user_id":["ada"],"security_key":"key-1"}"#, 400),
        ("application/x-www-form-urlencoded", "app_id=app&user_id=ada&user_id=eve&security_key=key-1", 400),
        ("application/x-www-form-urlencoded", "app_id=app&user_id=ada%00&security_key=key-1", 400),
    ]) func bodies(contentType: String, body: String, right: Int) throws {
        let request = DeskHTTPRequest("POST", "/", contentType: contentType, body: Array(body.utf8))
        #expect(try registry().answer(request).status == right)
    }

    @Test func otherMethodsAndSizes() throws {
        let registry = try registry()
        for method in ["GET", "PUT", "DELETE", "post"] {
            let answer = registry.answer(DeskHTTPRequest(method, "/"))
            #expect(answer.status == 405 && answer.allow == "POST")
        }
        let large = DeskHTTPRequest(
            "POST", "/", contentType: "application/json", body: [UInt8](repeating: 0x20, count: 16 * 1024 + 1))
        #expect(registry.answer(large).status == 413)
    }

    @Test func goldenRequests() throws {
        let request = AuthorizationRequest(appID: "app-1", userID: "user one", securityKey: "k+&=é")
        for (file, encoding) in [
            ("authorization.form", AuthorizationRequest.Encoding.form), ("authorization.json", .json),
        ] {
            let golden = try GoldenFiles.bytes(file)
            #expect(request.body(encoding) == golden)
            let read = try AuthorizationRequest.read(
                DeskHTTPRequest("POST", "/", contentType: encoding.contentType, body: golden))
            #expect(read == request)
        }
    }

    @Test func idsAreGivenOnce() throws {
        var registry = try registry()
        #expect(throws: DeskError.self) { try registry.enroll(appID: "app", userID: "ada", securityKey: "other") }
        registry.retire(appID: "app", userID: "ada")
        #expect(status(registry, "key-1") == [403])
        #expect(throws: DeskError.self) { try registry.enroll(appID: "app", userID: "ada", securityKey: "new") }
        #expect(throws: DeskError.self) { try registry.rotate(appID: "app", userID: "ada", securityKey: "new") }
        try registry.enroll(appID: "other", userID: "ada", securityKey: "key")
    }

    @Test func keysChange() throws {
        var registry = try registry()
        try registry.rotate(appID: "app", userID: "ada", securityKey: "key-2")
        #expect(status(registry, "key-1") == [200] && status(registry, "key-2") == [200])
        registry.dropFormerKeys(appID: "app", userID: "ada")
        #expect(status(registry, "key-1") == [403] && status(registry, "key-2") == [200])
        #expect(!"\(registry)".contains("key-2"), "hashes alone are kept")
    }

    /// FIPS 180-4 and RFC 4231, test case 2.
    @Test func digests() {
        #expect(
            DeskDigest.sha256(Array("abc".utf8))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        #expect(
            DeskDigest.hmac(Array("what do ya want for nothing?".utf8), secret: "Jefe")
                == "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843")
        #expect(DeskDigest.isSame("abc", "abc") && !DeskDigest.isSame("abc", "abd") && !DeskDigest.isSame("", "a"))
    }
}
