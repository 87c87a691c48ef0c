import NIOCore
import NIOHTTP1
import NIOPosix
import Testing

@testable import CallServer

@Suite struct HTTPRequestTests {
    private func request(_ target: String, _ headers: HTTPHeaders = [:]) -> HTTPRequest {
        HTTPRequest(HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: headers))
    }

    @Test(arguments: [
        ("/rtc", "/rtc"), ("//rtc", "/rtc"), ("///rtc//v1?x=//", "/rtc/v1"), ("/", "/"), ("", ""),
        ("http://host:7880//rtc?a=b", "/rtc"), ("http://host", "/"), ("http://host?a=b", ""), ("*", "*"),
    ])
    func pathIsWithoutQueryAndDoubledSlashes(target: String, path: String) {
        #expect(request(target).path == path)
    }

    @Test func queryIsDecoded() {
        let request = request(
            "/rtc?access_token=a.b-c_d&name=J%C3%BCrgen+M%20x&flag=true&empty=&bare&a=b=c&name=second")
        #expect(request["access_token"] == "a.b-c_d")
        #expect(request["name"] == "Jürgen M x")
        #expect(request.flag("flag") == true)
        #expect(request.flag("empty") == false)
        #expect(request.flag("none") == nil)
        #expect(request["bare"] == "")
        #expect(request["a"] == "b=c")
    }

    @Test(arguments: ["%", "%4", "%zz", "%%41", "a%2"])
    func badPercentSequencesStandForThemselves(text: String) {
        #expect(request("/?q=" + text)["q"] == text.replacing("%41", with: "A"))
    }

    @Test func invalidUTF8IsReplaced() {
        #expect(request("/?q=%ff%fe")["q"] == "\u{fffd}\u{fffd}")
    }

    @Test func itemsAreBounded() {
        let query = (0..<10_000).map { "a\($0)=1" }.joined(separator: "&")
        #expect(request("/?" + query).query.items.count == HTTPQuery.maximumItems)
    }

    @Test func credentialsAreRead() {
        #expect(request("/", ["Authorization": "Bearer a.b.c"]).bearerToken == "a.b.c")
        #expect(request("/", ["authorization": "bearer   a.b.c "]).bearerToken == "a.b.c")
        #expect(request("/", ["Authorization": "Basic a2V5OnNlOmNyZXQ="]).bearerToken == nil)
        let basic = request("/", ["Authorization": "basic a2V5OnNlOmNyZXQ="]).basicCredentials
        #expect(basic?.user == "key" && basic?.password == "se:cret")
        for bad in ["Basic", "Basic %%%", "Basic a2V5", "Basic /w=="] {
            #expect(request("/", ["Authorization": bad]).basicCredentials == nil)
        }
    }

    @Test func handshakesAreRecognised() {
        #expect(request("/", ["Upgrade": "WebSocket", "Connection": "keep-alive, Upgrade"]).isUpgrade)
        #expect(!request("/", ["Upgrade": "h2c", "Connection": "Upgrade"]).isUpgrade)
        #expect(!request("/", ["Upgrade": "websocket"]).isUpgrade)
    }
}

@Suite struct HTTPRouterTests {
    private func status(_ router: HTTPRouter, _ method: HTTPMethod, _ path: String) async throws -> String {
        let eventLoop = MultiThreadedEventLoopGroup.singleton.any()
        let head = HTTPRequestHead(version: .http1_1, method: method, uri: path)
        let response = try await router.respond(to: HTTPRequest(head), on: eventLoop).get()
        return "\(response.status.code) \(String(buffer: response.body))"
    }

    @Test func exactPathsWinThenTheLongestPrefix() async throws {
        var router = HTTPRouter()
        router.any("/twirp/*") { _ in HTTPResponse(.ok, "short") }
        router.any("/twirp/room/*") { _ in HTTPResponse(.ok, "long") }
        router.get("/twirp/room/x") { _ in HTTPResponse(.ok, "exact") }
        #expect(try await status(router, .POST, "/twirp/y") == "200 short")
        #expect(try await status(router, .POST, "/twirp/room/y") == "200 long")
        #expect(try await status(router, .GET, "/twirp/room/x") == "200 exact")
        #expect(try await status(router, .GET, "/twirp").hasPrefix("404"))
        #expect(try await status(router, .GET, "/").hasPrefix("404"))
    }

    @Test func methodsAreTold() async throws {
        var router = HTTPRouter()
        router.get("/a") { _ in HTTPResponse(.ok, "got") }
        #expect(try await status(router, .HEAD, "/a") == "200 got")
        #expect(try await status(router, .POST, "/a").hasPrefix("405"))
        router.any("/a") { _ in HTTPResponse(.ok, "any") }
        #expect(try await status(router, .POST, "/a") == "200 any")
        #expect(try await status(router, .GET, "/a") == "200 got")
    }

    @Test func aWebSocketPathAnswersPlainRequests() async throws {
        var router = HTTPRouter()
        router.webSocket("/ws", plain: { _ in HTTPResponse(.ok, "plain") }) { _ in .refuse(.notFound) }
        #expect(try await status(router, .GET, "/ws") == "200 plain")
    }
}
