import RTCWire
import Testing
import WHIPSignalling

struct WHIPSessionTests {
    private static func offer(_ direction: String = "sendonly", extra: String = "", bundle: Bool = true) -> [UInt8] {
        let section = """
            a=ice-ufrag:abcd
            a=ice-pwd:abcdefghijklmnopqrstuv
            a=candidate:1 1 udp 1 192.0.2.1 4000 typ host
            a=rtcp-mux
            a=\(direction)
            """
        return Array(
            """
            v=0
            o=- 1 1 IN IP4 0.0.0.0
            s=-
            t=0 0
            \(bundle ? "a=group:BUNDLE 0 1" : "a=x")
            m=audio 9 UDP/TLS/RTP/SAVPF 111
            a=mid:0
            \(section)
            m=video 9 UDP/TLS/RTP/SAVPF 96
            a=mid:1
            \(section)
            \(extra)
            """.utf8)
    }

    private static func post(
        _ body: [UInt8], type: String? = "application/sdp", accept: String? = nil
    ) -> WHIPRequest { WHIPRequest(method: "POST", contentType: type, accept: accept, body: body) }

    private static func patch(
        _ text: String, tag: String?, type: String = TrickleFragment.contentType
    ) -> WHIPRequest { WHIPRequest(method: "PATCH", contentType: type, ifMatch: tag, body: Array(text.utf8)) }

    private static let same = "a=ice-ufrag:abcd\r\na=ice-pwd:abcdefghijklmnopqrstuv\r\n"
    private static let other = "a=ice-ufrag:efgh\r\na=ice-pwd:vutsrqponmlkjihgfedcba\r\n"

    private func newSession(_ role: WHIPRole = .publisher) -> WHIPSession {
        WHIPSession(
            role: role, location: "/whip/r/session/s", salt: "s",
            iceServers: [WHIPLink(url: "stun:a"), WHIPLink(url: "turn:b", username: "u\"v", credential: "c\\d")])
    }

    private func openSession() throws -> WHIPSession {
        var session = newSession()
        guard case .negotiate = session.begin(Self.post(Self.offer())) else { throw Unexpected() }
        _ = session.answered("v=0")
        return session
    }

    private struct Unexpected: Error {}

    private func status(_ action: WHIPSession.Action) -> Int? {
        switch action {
        case .reply(let response), .end(let response): response.status
        case .negotiate: nil
        }
    }

    @Test func beginsAndEnds() throws {
        var session = newSession()
        let action = session.begin(
            Self.post(Self.offer(), type: "Application/SDP; charset=utf-8", accept: "application/*"))
        guard case .negotiate(let offer) = action else { throw Unexpected() }
        #expect(offer.utf8.starts(with: "v=0\r\n".utf8))
        let answer = session.answered("v=0\r\n")
        #expect(answer.status == 201)
        #expect(answer.body == "v=0\r\n")
        #expect(answer.contentType == "application/sdp")
        #expect(answer.fields["Location"] == "/whip/r/session/s")
        #expect(answer.fields["ETag"] == "\"s-0\"")
        #expect(answer.fields["Accept-Patch"] == "application/trickle-ice-sdpfrag")
        let links =
            #"<stun:a>; rel="ice-server", <turn:b>; rel="ice-server"; username="u\"v"; "#
            + #"credential="c\\d"; credential-type="password""#
        #expect(answer.fields["Link"] == links)
        guard case .end(let end) = session.handle(WHIPRequest(method: "DELETE")) else { throw Unexpected() }
        #expect(end.status == 200)
        #expect(session.handle(WHIPRequest(method: "DELETE")) == .reply(.noSession))
        #expect(session.handle(Self.patch(Self.same, tag: "*")) == .reply(.noSession))
    }

    @Test(arguments: [
        (post(offer(), type: nil), 415, "application/sdp"), (post(offer(), type: "text/plain"), 415, "application/sdp"),
        (post(offer(), accept: "text/html"), 406, "Accept"),
        (post(offer(), accept: "application/sdp;q=0"), 406, "Accept"),
        (post(Array("hello".utf8)), 400, "v=0"), (post(offer("recvonly")), 422, "sendonly"),
        (post(offer(bundle: false)), 422, "max-bundle"),
        (post(offer(extra: "m=video 9 UDP/TLS/RTP/SAVPF 96\na=mid:2")), 422, "rtcp-mux"),
        (post(offer(extra: String(repeating: "m=video 0 UDP/TLS/RTP/SAVPF 96\n", count: 20))), 422, "16"),
    ])
    func refusesOffers(request: WHIPRequest, status: Int, words: String) throws {
        var session = newSession()
        guard case .reply(let response) = session.begin(request) else { throw Unexpected() }
        #expect(response.status == status)
        #expect(response.body.contains(words))
    }

    @Test func viewersReceive() throws {
        var session = newSession(.viewer)
        #expect(status(session.begin(Self.post(Self.offer("sendonly")))) == 422)
        session = newSession(.viewer)
        #expect(status(session.begin(Self.post(Self.offer("recvonly")))) == nil)
    }

    @Test func candidatesOfThePresentSessionAreTaken() throws {
        var session = try openSession()
        #expect(status(session.handle(Self.patch(Self.same, tag: "\"s-0\""))) == 204)
        #expect(status(session.handle(Self.patch(Self.same, tag: "\"x\", \"s-0\""))) == 204)
        #expect(status(session.handle(Self.patch("m=audio 9 x 0\r\na=end-of-candidates\r\n", tag: "\"s-0\""))) == 204)
        #expect(status(session.handle(Self.patch(Self.same, tag: nil))) == 428)
        #expect(status(session.handle(Self.patch(Self.same, tag: "\"s-1\""))) == 412)
        #expect(status(session.handle(Self.patch(Self.same, tag: "W/\"s-0\""))) == 412)
        #expect(status(session.handle(Self.patch("x", tag: "\"s-0\""))) == 400)
        #expect(status(session.handle(Self.patch(Self.same, tag: "*", type: "application/sdp"))) == 415)
        #expect(status(session.handle(Self.patch("a=ice-options:trickle\r\n", tag: "*"))) == 422)
        #expect(status(session.handle(Self.patch("a=ice-ufrag:efgh\r\n", tag: "*"))) == 422)
        #expect(status(session.handle(WHIPRequest(method: "OPTIONS"))) == 204)
        for method in ["GET", "HEAD", "PUT", "POST"] {
            #expect(status(session.handle(WHIPRequest(method: method))) == 405)
        }
    }

    @Test func restartsICE() throws {
        var session = try openSession()
        guard case .negotiate(let offer) = session.handle(Self.patch(Self.other, tag: "*")) else {
            throw Unexpected()
        }
        let description = try SDPSession(parsing: offer)
        #expect(description.media.map(\.iceUfrag) == ["efgh", "efgh"])
        #expect(description.media.flatMap(\.candidates).isEmpty)
        #expect(status(session.handle(Self.patch(Self.other, tag: "*"))) == 409)
        let answer = offer.replacing("efgh", with: "ours")
        let response = session.restarted(answer)
        #expect(response.status == 200)
        #expect(response.fields["ETag"] == "\"s-1\"")
        let fragment = try TrickleFragment(parsing: response.body.utf8)
        #expect(fragment.credentials?.ufrag == "ours")
        // Candidates of before are out of time, those of now are not.
        #expect(status(session.handle(Self.patch(Self.same, tag: "\"s-0\""))) == 412)
        #expect(status(session.handle(Self.patch(Self.other, tag: "\"s-1\""))) == 204)
    }

    @Test func aRefusedRestartLeavesTheSession() throws {
        var session = try openSession()
        _ = session.handle(Self.patch(Self.other, tag: "*"))
        #expect(session.refused("because").body.contains("because"))
        #expect(session.entityTag == "\"s-0\"")
        #expect(status(session.handle(Self.patch(Self.same, tag: "\"s-0\""))) == 204)
    }

    @Test func endpointsKeepOtherMethods() {
        #expect(WHIPSession.endpoint("OPTIONS").fields["Accept-Post"] == "application/sdp")
        for method in ["GET", "HEAD", "PUT", "PATCH", "DELETE"] {
            #expect(WHIPSession.endpoint(method).fields["Allow"] == "OPTIONS, POST")
        }
    }

    @Test(arguments: [
        ("/whip/r", WHIPPath.endpoint(.publisher, room: "r", participant: nil)),
        ("/whep/a%2Fb%20c", .endpoint(.viewer, room: "a/b c", participant: nil)),
        ("/whep/r/ann", .endpoint(.viewer, room: "r", participant: "ann")),
        ("/whip/r/session/s", .session(.publisher, room: "r", id: "s")),
    ])
    func paths(text: String, path: WHIPPath) { #expect(WHIPPath(text) == path) }

    @Test(arguments: [
        "/whip", "/whip/", "/whip/r/ann", "/whep/r/", "/whep/r/session/", "/whxp/r", "/whip/%", "/whip/%ff",
    ])
    func noPaths(text: String) { #expect(WHIPPath(text) == nil) }

    @Test func locationsAreFoundAgain() {
        let location = WHIPPath.location(.viewer, room: "a/b ü%", id: "x")
        #expect(WHIPPath(location) == .session(.viewer, room: "a/b ü%", id: "x"))
    }
}
