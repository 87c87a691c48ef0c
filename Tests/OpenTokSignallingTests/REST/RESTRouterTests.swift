import Testing

@testable import OpenTokSignalling

@Suite struct RESTRouterTests {
    private let project: OpenTokProject
    private let session: OpenTokSessionID
    private let now: Int64 = 1_800_000_000

    init() throws {
        project = try OpenTokProject(key: "12345", secret: "secret")
        session = OpenTokSessionID(project: "12345", mediaMode: .routed, createdAt: 0, random: 1)
    }

    private var base: String { "/v2/project/12345" }
    private var sessionPath: String { "\(base)/session/\(session)" }

    private func route(
        _ method: String, _ path: String, query: String = "", _ body: String = "", headers: [RESTRequest.Header]? = nil
    ) throws(RESTFault) -> RESTCommand {
        let token = RESTAuthentication.header(for: project, now: now)
        let request = RESTRequest(
            method: method, path: path, query: query, headers: headers ?? [.init(name: "X-OPENTOK-AUTH", value: token)],
            body: Array(body.utf8))
        return try RESTRouter(secrets: [project.key: project.secret, "777": "other"]).route(request, now: now).command
    }

    private func fault(_ method: String, _ path: String, query: String = "", _ body: String = "") -> RESTFault? {
        do throws(RESTFault) {
            _ = try route(method, path, query: query, body)
            return nil
        } catch { return error }
    }

    @Test(
        "Paths that are none",
        arguments: [
            "", "/", "session/create", "/session", "/session/create/", "/v2/project", "/v2/project/12345/",
            "/v2/project/1~2/archive",
            "/v2/project/12345/session", "/v2/project/12345/session/x/y", "/v2/project/12345/archive/a/b",
            "/v2/project/12345/archive/a/stop/c", "/v2/project/12345/nothing", "/v3/project/12345/archive",
            "/" + String(repeating: "a/", count: 1000), "/" + String(repeating: "a", count: 5000),
        ])
    func noPath(path: String) { #expect(fault("POST", path)?.status == 404) }

    @Test func verbs() {
        #expect(fault("GET", "/session/create")?.status == 405)
        #expect(fault("PATCH", "\(base)/archive")?.message == "use GET or POST")
        #expect(fault("DELETE", "\(sessionPath)/stream/s")?.message == "use GET")
        #expect(fault("GET", "\(base)/archive/%zz")?.status == 400)
    }

    @Test(
        "Features that are not here",
        arguments: [
            ("POST", "broadcast"), ("POST", "broadcast/b/stop"), ("PATCH", "broadcast/b/streams"), ("POST", "dial"),
            ("POST", "captions"), ("POST", "captions/c/stop"), ("POST", "render"), ("DELETE", "render/r"),
            ("POST", "connect"),
        ])
    func absent(method: String, path: String) throws {
        let refusal = try #require(fault(method, "\(base)/\(path)"))
        #expect(refusal.status == 501)
        #expect(refusal.message.hasPrefix("This server has no "))
        #expect(throws: RESTFault.self) { try route(method, "\(base)/\(path)", headers: []) }
    }

    @Test("Credentials come before everything that a stranger could learn")
    func credentialsFirst() {
        for path in ["\(base)/dial", "\(base)/archive", "\(sessionPath)/signal", "/session/create"] {
            let fault = #expect(throws: RESTFault.self) { try route("POST", path, "{", headers: []) }
            #expect(fault?.status == 403)
        }
    }

    @Test func otherProjects() {
        #expect(fault("GET", "/v2/project/777/archive")?.description.contains("another project") == true)
        let foreign = OpenTokSessionID(project: "777", mediaMode: .routed, createdAt: 0)
        #expect(fault("GET", "\(base)/session/\(foreign)/stream")?.status == 403)
        #expect(fault("POST", "\(base)/archive", #"{"sessionId":"\#(foreign)"}"#)?.status == 403)
        #expect(fault("GET", "\(base)/session/nonsense/stream")?.status == 400)
    }

    @Test("Bounds of signals: type 128 bytes, data 8192, an alphabet for types")
    func signals() throws {
        let path = "\(sessionPath)/signal"
        let type = String(repeating: "t", count: 128)
        let data = String(repeating: "d", count: 8192)
        #expect(
            try route("POST", path, #"{"type":"\#(type)","data":"\#(data)"}"#)
                == .signal(session: session, connection: nil, SignalContent(type: type, data: data)))
        #expect(try route("POST", path, "{}") == .signal(session: session, connection: nil, SignalContent()))
        #expect(fault("POST", path, #"{"type":"\#(type)t"}"#)?.status == 413)
        #expect(fault("POST", path, #"{"data":"\#(data)d"}"#)?.message == "data: 8193 bytes; send at most 8192")
        #expect(fault("POST", path, #"{"type":"a b"}"#)?.status == 400)
        #expect(fault("POST", path, #"{"data":{}}"#)?.message == "data: no string; send text in quotation marks")
        #expect(fault("POST", path, "[]")?.status == 400)
        #expect(fault("POST", path, String(repeating: " ", count: 70_000))?.status == 413)
    }

    @Test func segmentsAreDecoded() throws {
        #expect(try route("GET", "\(sessionPath)/stream/a%2Db") == .stream(session: session, id: "a-b"))
    }

    @Test(
        "What session creation is asked with",
        arguments: [
            ("archiveMode=always&p2p.preference=enabled", "only routed"), ("archiveMode=sometimes", "manual, always"),
            ("location=1.2.3", "IPv4"), ("location=1.2.3.256", "IPv4"), ("archiveMode=always&e2ee=true", "encrypted"),
            ("archiveResolution=1x1", "640x480"), ("%", "form"), (String(repeating: "a&", count: 70), "form"),
        ])
    func sessionOptions(form: String, reason: String) {
        #expect(fault("POST", "/session/create", form)?.message.contains(reason) == true)
    }

    @Test func sessionDefaults() throws {
        #expect(try route("POST", "/session/create") == .createSession(SessionOptions()))
        var options = SessionOptions()
        options.isEndToEndEncrypted = true
        options.mediaMode = .relayed
        #expect(try route("POST", "/session/create", "e2ee=True&p2p.preference=enabled") == .createSession(options))
    }

    @Test(
        "What an archive is asked with",
        arguments: [
            (#"{"hasAudio":false,"hasVideo":false}"#, "hasAudio"), (#"{"outputMode":"both"}"#, "composed, individual"),
            (#"{"outputMode":"individual","resolution":"640x480"}"#, "resolution"), (#"{"maxBitrate":1}"#, "100000"),
            (#"{"layout":{"type":"custom"}}"#, "layout.stylesheet"),
            (#"{"layout":{"type":"pip","stylesheet":"x"}}"#, "stylesheet"),
            (#"{"layout":{"type":"pip","screenshareType":"pip"}}"#, "bestFit"),
            (#"{"quantizationParameter":41}"#, "15 to 40"),
            (#"{"hasTranscription":true}"#, "transcription"), (#"{"sessionId":"x"}"#, "sessionId"),
            (#"{"sessionId":null}"#, "sessionId"),
        ])
    func archiveOptions(body: String, reason: String) {
        let whole = body.contains("sessionId") ? body : #"{"sessionId":"\#(session)",\#(body.dropFirst())"#
        #expect(fault("POST", "\(base)/archive", whole)?.message.contains(reason) == true)
    }

    @Test func otherBodies() {
        #expect(fault("GET", "\(base)/archive", query: "count=1001")?.message.contains("1000") == true)
        #expect(fault("GET", "\(base)/archive", query: "offset=-1")?.status == 400)
        #expect(fault("POST", "\(sessionPath)/play-dtmf", #"{"digits":"x"}"#)?.status == 400)
        #expect(fault("POST", "\(sessionPath)/mute", "{}")?.message == "active: missing; this member is required")
        #expect(fault("PUT", "\(sessionPath)/stream", "{}")?.message == "items: missing; this member is required")
        #expect(
            fault("PUT", "\(sessionPath)/stream", #"{"items":[{"id":"a/b"}]}"#)?.message.contains("items[0].id") == true
        )
        #expect(fault("PATCH", "\(base)/archive/a/streams", "{}")?.message.contains("removeStream") == true)
    }

    @Test("Both names of excluded streams count")
    func excludedStreams() throws {
        let body = #"{"active":true,"excludedStreamIds":["a","b"],"excludedStreams":["b","c"]}"#
        #expect(
            try route("POST", "\(sessionPath)/mute", body)
                == .forceMute(session: session, ForceMute(isActive: true, excludedStreams: ["a", "b", "c"])))
    }

    @Test("The head alone decides whether a body is read")
    func admission() throws {
        let router = RESTRouter(secrets: [project.key: project.secret])
        let token = RESTAuthentication.header(for: project, now: now)
        let head = RESTRequest(
            method: "POST", path: "\(sessionPath)/signal", headers: [.init(name: "x-opentok-auth", value: token)])
        let admission = try router.admit(head, now: now)
        #expect(admission.project == "12345")
        #expect(admission.bodyLimit >= 6 * SignalContent.longestData)
    }
}
