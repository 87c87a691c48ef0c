import Testing

@testable import OpenTokSignalling

@Suite struct SessionInfoTests {
    private let session = OpenTokSessionID(project: "12345", mediaMode: .relayed, createdAt: 0, random: 1)
    private let now: Int64 = 1_800_000_000

    private func request(token: String?, path: String? = nil) -> RESTRequest {
        RESTRequest(
            method: "GET", path: path ?? "/session/\(session)", query: "extended=true",
            headers: token.map { [.init(name: "X-TB-TOKEN-AUTH", value: $0)] } ?? [])
    }

    private func token(for session: String? = nil) throws -> String {
        try OpenTokToken(project: "12345", sessionID: session ?? self.session.text, created: now).signed(secret: "s")
    }

    private func refusal(_ request: RESTRequest) -> SessionInfoRefusal? {
        do throws(SessionInfoRefusal) {
            _ = try SessionInfoRequest(request, secrets: ["12345": "s"], now: now)
            return nil
        } catch { return error }
    }

    @Test("A server's answer, read by a client", arguments: [nil, true, false])
    func roundTrip(hasSimulcast: Bool?) throws {
        var info = SessionInfo(
            session: session, project: "12345", messagingURL: "wss://h:1/rumor", serverAddress: "symphony.1")
        info.hasSimulcast = hasSimulcast
        info.hasReconnection = hasSimulcast ?? true
        let response = info.response
        #expect(response.contentType == "application/json")
        #expect(try SessionInfo(status: response.status, body: response.body) == info)
        let json = try JSON(parsing: response.body)
        guard case .array(let items) = json else { return #expect(Bool(false), "no array") }
        #expect(items[0]["properties"]?["p2p"]?["preference"]?["value"] == "enabled")
        #expect(items[0]["messaging_server_url"] == "h:1")
    }

    @Test func partnersMayBeNumbers() throws {
        let body =
            #"[{"session_id":"\#(session)","partner_id":12345,"messaging_url":"wss://h","symphony_address":"s"}]"#
        let info = try SessionInfo(status: 200, body: Array(body.utf8))
        #expect(info.project == "12345")
        #expect(!info.hasReconnection)
    }

    @Test func requests() throws {
        let request = request(token: try token())
        #expect(SessionInfoRequest.matches(request))
        let read = try SessionInfoRequest(request, secrets: ["12345": "s"], now: now)
        #expect(read.session == session)
        #expect(read.token.role == .publisher)
        for path in ["/session", "/session/a/b", "/x/session/a", "session/a"] {
            #expect(!SessionInfoRequest.matches(self.request(token: nil, path: path)))
        }
    }

    @Test("Refusals have the statuses that clients make 1004 and 1005 of")
    func refusals() throws {
        let other = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 2)
        #expect(refusal(request(token: nil))?.status == 403)
        #expect(refusal(request(token: "nonsense"))?.status == 403)
        #expect(refusal(request(token: try token(), path: "/session/nonsense"))?.status == 400)
        let refused = try #require(refusal(request(token: try token(for: other.text))))
        #expect(refused.status == 400)
        let fault = #expect(throws: SessionInfoFault.self) {
            try SessionInfo(status: refused.response.status, body: refused.response.body)
        }
        #expect(fault == .refused(.invalidSession, refused.message))
        #expect(fault?.clientCode.rawValue == 1005)
        #expect(fault?.isTransient == false)
    }

    @Test(
        "What a client makes of answers that are none",
        arguments: [
            (403, "", 1004, false), (400, "[]", 1005, false), (404, "<html>", 1006, true), (502, "{}", 2001, true),
            (200, "[]", 2001, true), (200, "[5]", 2001, true), (200, #"[{"error":{"code":403}}]"#, 1004, false),
        ])
    func otherAnswers(status: Int, body: String, code: Int, isTransient: Bool) {
        let fault = #expect(throws: SessionInfoFault.self) { try SessionInfo(status: status, body: Array(body.utf8)) }
        #expect(fault?.clientCode.rawValue == code)
        #expect(fault?.isTransient == isTransient)
    }
}
