import Foundation
import ServiceDeskCore
import Testing

@Suite struct WireTests {
    @Test func formsAreRead() throws {
        let form = try #require(DeskForm("a=1&b=%41+%2b&c&=d&e=f=g".utf8))
        #expect(form.values == ["a": "1", "b": "A +", "c": "", "": "d", "e": "f=g"])
        #expect(try #require(DeskForm("".utf8)).values.isEmpty)
    }

    @Test(arguments: ["a=%4", "a=%", "a=%zz", "a=%ff", "%c3=1", "a=1&a=2"]) func otherFormsAreNone(text: String) {
        #expect(DeskForm(text.utf8) == nil)
    }

    @Test func formsHaveBounds() {
        func form(_ count: Int) -> DeskForm? { DeskForm((0..<count).map { "n\($0)=1" }.joined(separator: "&").utf8) }
        #expect(form(64)?.values.count == 64)
        #expect(form(65) == nil)
    }

    @Test func formsGoRound() throws {
        var generator = TestGenerator(seed: 1866)
        for _ in 0..<500 {
            let value = String(
                decoding: (0..<Int.random(in: 0...40, using: &generator)).map { _ in
                    UInt8.random(in: 0...255, using: &generator)
                }, as: UTF8.self)
            #expect(try #require(DeskForm(DeskForm.text([("k&=", value)]).utf8))["k&="] == value)
        }
    }

    @Test func filesGoRound() throws {
        let bytes = (0..<1_000).map { UInt8(truncatingIfNeeded: $0) } + Array("\r\n--bound\r\n\r\n--".utf8)
        let body = DeskMultipart(name: "a \"b\".bin", bytes: bytes).body(boundary: "boundary-1")
        let read = try #require(DeskMultipart(body, boundary: "boundary-1"))
        #expect(read.bytes == bytes && read.name == "a _b_.bin")
        #expect(DeskMultipart(body, boundary: "boundary-2") == nil)
        #expect(DeskMultipart(Array(body.dropLast(20)), boundary: "boundary-1") == nil)
    }

    @Test func aFileMayComeBehindFields() throws {
        let text =
            "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nvalue\r\n"
            + "--b\r\ncontent-disposition: form-data; name=\"f\"; filename=\"n.txt\"\r\nX: y\r\n\r\nhello\r\n--b--\r\n"
        let read = try #require(DeskMultipart(Array(text.utf8), boundary: "b"))
        #expect(read == DeskMultipart(name: "n.txt", bytes: Array("hello".utf8)))
        let many = String(repeating: "--b\r\nContent-Disposition: form-data; name=\"x\"\r\n\r\nv\r\n", count: 8)
        #expect(DeskMultipart(Array((many + text).utf8), boundary: "b") == nil, "eight parts are looked at")
        let head = "--b\r\nX: \(String(repeating: "y", count: 5_000))\r\n"
        let long = head + "Content-Disposition: form-data; filename=\"n\"\r\n\r\nv\r\n--b--"
        #expect(DeskMultipart(Array(long.utf8), boundary: "b") == nil)
    }

    @Test(
        arguments: [
            ("multipart/form-data; boundary=abc", "abc"), ("multipart/form-data; charset=x; Boundary=\"a b\"", nil),
            ("multipart/form-data; boundary=\"q-1\"", "q-1"), ("multipart/form-data", nil),
            ("multipart/form-data; boundary=", nil),
            ("multipart/form-data; boundary=\(String(repeating: "x", count: 71))", nil),
        ] as [(String, String?)]) func boundaries(contentType: String, boundary: String?)
    {
        #expect(DeskMultipart.boundary(contentType) == boundary)
    }

    @Test(arguments: [
        ("photo.jpg", "photo.jpg"), ("/etc/passwd", "passwd"), ("..\\..\\x.exe", "x.exe"), ("..", "file"), ("", "file"),
        ("a\u{0}b\u{202e}c", "abc"), ("/", "file"), (". .", "file"),
    ]) func namesOfFiles(name: String, fit: String) {
        #expect(DeskFileName.fit(name) == fit)
        #expect(DeskFileName.fit(String(repeating: "😀", count: 100)).utf8.count == 252)
    }

    // MARK: Golden requests and answers

    @Test func requestsAsTheyAreWritten() throws {
        let external = try DeskCredentials(appID: "app-1", deviceID: "device-1", userID: "user-1", securityKey: "key-1")
        let request = DeskCommentRequest(
            ticketID: 3, comment: "Where is it?", attachments: [.init(guid: "5", name: "label.pdf")],
            userName: "Guest", clientID: "c-1")
        let written = try DeskJSON.bytes(DeskEnvelope(DeskIdentity(external), request))
        #expect(written == (try GoldenFiles.bytes("update-external.json")))
        let read = try DeskRouter.read(post("UpdateTicketFeed", written))
        #expect(read == DeskQuestion(credentials: external, call: .comment(request)))
        let anonymous = try DeskCredentials(appID: "app-1", deviceID: "device-1")
        let plain = DeskCommentRequest(
            ticketID: nil, comment: "Where is it?", attachments: [], userName: "Guest", clientID: nil)
        let bytes = try DeskJSON.bytes(DeskEnvelope(DeskIdentity(anonymous), plain))
        #expect(bytes == (try GoldenFiles.bytes("update-anonymous.json")))
        #expect(try DeskRouter.read(post("updateticketfeed", bytes)).credentials == anonymous)
    }

    @Test func answersAsTheyAreRead() throws {
        let golden = try GoldenFiles.bytes("tickets.json")
        let tickets = try DeskJSON.read(DeskTicketsAnswer.self, golden)
        #expect(try DeskJSON.bytes(tickets) == golden)
        let last = try #require(tickets.tickets.first?.lastComment)
        #expect(
            last.attachments == [DeskAttachment(id: 5, name: "label.pdf", size: 2_048)] && last.author.avatarID == 7)
        let sparse = try DeskJSON.read(DeskFeedAnswer.self, try GoldenFiles.bytes("feed-sparse.json")).comments
        #expect(sparse.map(\.body) == ["Where is it?", ""] && sparse.map(\.isInbound) == [true, false])
        #expect(sparse[0].author.name.isEmpty && sparse[1].attachments.isEmpty)
        #expect(sparse[1].createdAt.milliseconds == 1_777_636_800_123)
    }

    // MARK: Routes

    private func post(_ method: String, _ body: [UInt8]) -> DeskHTTPRequest {
        DeskHTTPRequest("POST", DeskRouter.root + method, contentType: "application/json", body: body)
    }

    private func status(_ request: DeskHTTPRequest) -> Int {
        do throws(DeskRefusal) {
            let limit = try DeskRouter.bodyLimit(request.method, path: request.path)
            guard request.body.count <= limit else { return 413 }
            _ = try DeskRouter.read(request)
            return 200
        } catch { return error.status }
    }

    @Test(arguments: [
        ("GET", "/", 404), ("POST", "/servicedeskapi/v1/", 404), ("POST", "/servicedeskapi/v1/nothing", 404),
        ("GET", "/servicedeskapi/v1/gettickets", 405), ("POST", "/servicedeskapi/v1/gettickets/1", 404),
        ("POST", "/servicedeskapi/v1/DownloadFile/1", 405), ("GET", "/servicedeskapi/v1/DownloadFile", 400),
        ("GET", "/servicedeskapi/v1/avatar/x", 404), ("GET", "/servicedeskapi/v1/avatar/0", 404),
        ("GET", "/servicedeskapi/v1/avatar/7/32", 200), ("GET", "/servicedeskapi/v1/avatar/7/32/x", 404),
        ("POST", "/servicedeskapi/v1/SetPushToken", 400),
    ]) func paths(method: String, path: String, right: Int) { #expect(status(DeskHTTPRequest(method, path)) == right) }

    @Test(arguments: [
        (#"{"app_id":"a","user_id":"u"}"#, 200), (#"{"app_id":"a"}"#, 400), (#"{"user_id":"u"}"#, 400), ("[]", 400),
        (#"{"app_id":"a","user_id":""}"#, 400), (#"{"app_id":5,"user_id":"u"}"#, 400), ("", 400),
        (#"{"app_id":"a","user_id":"u","security_key":""}"#, 400), (#"{"app_id":"a","user_id":"u\u0000"}"#, 400),
        (#"{"app_id":"a","user_id":"u","ticket_id":"x"}"#, 400),
        (#"{"app_id":"a","user_id":"u","ticket_id":1e400}"#, 400),
    ]) func bodies(body: String, right: Int) { #expect(status(post("GetTicketFeed", Array(body.utf8))) == right) }

    @Test(arguments: [(100, 200), (101, 400)]) func identifiersOnTheWire(length: Int, right: Int) throws {
        let long = String(repeating: "é", count: length)
        for body in [
            ["app_id": "a", "user_id": long], ["app_id": "a", "user_id": "u", "security_key": long],
            ["app_id": "a", "user_id": "u", "security_key": "k", "instance_id": long],
        ] { #expect(status(post("gettickets", try DeskJSON.bytes(body))) == right) }
    }

    @Test func commentsHaveBounds() throws {
        func status(_ text: String, files: Int = 0, name: String = "Guest", id: String = "c") throws -> Int {
            let request = DeskCommentRequest(
                ticketID: nil, comment: text, attachments: (0..<files).map { .init(guid: "\($0)", name: "n") },
                userName: name, clientID: id)
            let identity = DeskIdentity(try DeskCredentials(appID: "a", deviceID: "d"))
            return self.status(post("UpdateTicketFeed", try DeskJSON.bytes(DeskEnvelope(identity, request))))
        }
        #expect(try status("x") == 200 && status("", files: 1) == 200 && status("", files: 10) == 200)
        #expect(try status("") == 400 && status("x", files: 11) == 400)
        let longest = String(repeating: "x", count: 32 * 1024)
        #expect(try status(longest) == 200 && status(longest + "x") == 413)
        #expect(try status("x", name: String(repeating: "n", count: 256)) == 400)
        #expect(try status("x", id: String(repeating: "c", count: 101)) == 400)
        let spaces = [UInt8](repeating: 0x20, count: 128 * 1024 + 1)
        #expect(self.status(post("UpdateTicketFeed", spaces)) == 413)
    }

    @Test func uploadsHaveBounds() throws {
        let identity = DeskIdentity(try DeskCredentials(appID: "a", deviceID: "d"))
        func status(_ size: Int, type: String = "multipart/form-data; boundary=b", query: String? = nil) -> Int {
            self.status(
                DeskHTTPRequest(
                    "POST", DeskRouter.root + "UploadFile", query: query ?? identity.query, contentType: type,
                    body: DeskMultipart(name: "n", bytes: [UInt8](repeating: 1, count: size)).body(boundary: "b")))
        }
        #expect(status(1) == 200 && status(0) == 400)
        #expect(status(1, query: "app_id=a") == 400 && status(1, type: "application/json") == 400)
        #expect(status(1, query: "app_id=a&user_id=%ff") == 400)
    }

    @Test func deepJSONIsRefused() {
        let deep = String(repeating: "[", count: 60_000)
        #expect(status(post("gettickets", Array(#"{"app_id":"a","user_id":"u","x":\#(deep)"#.utf8))) == 400)
    }

    @Test func theQueryNamesWhoAsks() throws {
        let external = try DeskCredentials(appID: "a b", deviceID: "d", userID: "u&", securityKey: "k=+")
        let query = DeskIdentity(external).query
        #expect(query == "app_id=a%20b&user_id=u%26&security_key=k%3D%2B&instance_id=d&version=1")
        let request = DeskHTTPRequest("GET", DeskRouter.root + "DownloadFile/5", query: query)
        #expect(try DeskRouter.read(request) == DeskQuestion(credentials: external, call: .download(5)))
    }
}
