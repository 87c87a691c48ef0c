import Testing

@testable import OpenTokSignalling

@Suite struct RESTAuthenticationTests {
    private let project: OpenTokProject
    private let now: Int64 = 1_800_000_000

    init() throws { project = try OpenTokProject(key: "12345", secret: "secret") }

    private func refusal(
        _ name: String, _ value: String?, level: RESTAuthentication.Level = .project, at offset: Int64 = 0
    ) -> String? {
        let headers = value.map { [RESTRequest.Header(name: name, value: $0)] } ?? []
        let request = RESTRequest(method: "GET", path: "/", headers: headers)
        do throws(RESTFault) {
            let key = try RESTAuthentication.project(
                of: request, level: level, secrets: [project.key: project.secret], now: now + offset)
            #expect(key == project.key)
            return nil
        } catch {
            #expect(error.status == 403)
            #expect(error.code == -1)
            #expect(error.message == "Invalid token")
            return error.description
        }
    }

    @Test func tokens() {
        let token = RESTAuthentication.header(for: project, now: now)
        #expect(refusal("x-opentok-auth", token) == nil)
        #expect(refusal("X-OpenTok-Auth", token, at: 180 + 59) == nil)
        #expect(refusal("X-OPENTOK-AUTH", token, at: 240)?.contains("expired") == true)
        #expect(refusal("X-OPENTOK-AUTH", token, at: -61)?.contains("future") == true)
        #expect(refusal("X-OPENTOK-AUTH", token, level: .account)?.contains("ist must be account") == true)
        let account = RESTAuthentication.header(for: project, level: .account, now: now)
        #expect(refusal("X-OPENTOK-AUTH", account, level: .account) == nil)
        #expect(refusal("X-OPENTOK-AUTH", account)?.contains("ist must be project") == true)
        let five = RESTAuthentication.header(for: project, now: now, lifetime: 300)
        #expect(refusal("X-OPENTOK-AUTH", five) == nil)
        let longer = RESTAuthentication.header(for: project, now: now, lifetime: 301)
        #expect(refusal("X-OPENTOK-AUTH", longer)?.contains("300 seconds") == true)
    }

    @Test func whatIsNoToken() throws {
        #expect(refusal("X-OPENTOK-AUTH", nil)?.contains("X-OPENTOK-AUTH") == true)
        for text in ["", "a.b.c", String(repeating: "x", count: 5000)] {
            #expect(refusal("X-OPENTOK-AUTH", text)?.contains("no JSON web token") == true)
        }
        let stranger = RESTAuthentication.header(for: try OpenTokProject(key: "9", secret: "secret"), now: now)
        #expect(refusal("X-OPENTOK-AUTH", stranger)?.contains("iss") == true)
        let forged = RESTAuthentication.header(for: try OpenTokProject(key: "12345", secret: "other"), now: now)
        #expect(refusal("X-OPENTOK-AUTH", forged)?.contains("signature") == true)
        for times in [JSON.null, "1", .number(1e300), .integer(.min), .integer(.max)] {
            let token = JSONWebToken.sign(
                ["iss": "12345", "ist": "project", "iat": times, "exp": times], secret: "secret")
            #expect(refusal("X-OPENTOK-AUTH", token)?.contains("seconds since 1970") == true)
        }
    }

    @Test("Key and secret, as older SDKs send them")
    func pairs() {
        #expect(refusal("X-TB-PARTNER-AUTH", "12345:secret") == nil)
        for pair in ["12345:other", "9:secret", "12345", "", ":", "12345:secret "] {
            #expect(refusal("X-TB-PARTNER-AUTH", pair) != nil)
        }
    }
}
