import Foundation
import LiveKitProtocol
import NIOHTTP1
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct ConfigDescriptorTests {
    private struct Answer: Decodable {
        struct Credentials: Decodable { var token: String }
        var callId, conversationId, provider, serviceProviderCallId, endpoint, mediaKind: String
        var credentials: Credentials
        var iceServers: [String]
    }

    private let endpoint = DescriptorEndpoint(configuration: CallServerConfiguration(keys: ["key": "se:cret"]))

    private func ask(
        _ query: String, credentials: String? = "key:se:cret", headers: HTTPHeaders = ["Host": "calls.example:7880"]
    ) -> HTTPResponse {
        var headers = headers
        if let credentials {
            headers.add(name: "Authorization", value: "Basic " + Data(credentials.utf8).base64EncodedString())
        }
        return endpoint.respond(
            to: HTTPRequest(
                HTTPRequestHead(
                    version: .http1_1, method: .GET, uri: DescriptorEndpoint.path + query, headers: headers)))
    }

    private func decode(_ response: HTTPResponse) throws -> Answer {
        try JSONDecoder().decode(Answer.self, from: Data(response.body.readableBytesView))
    }

    @Test func aDescriptorLetsOneIn() throws {
        let response = ask("?conversation=support-42&identity=alice&name=Alice%20A")
        #expect(response.status == .ok && response.contentType == "application/json")
        #expect(response.fields["Cache-Control"] == "no-store")
        let answer = try decode(response)
        #expect(answer.conversationId == "support-42" && answer.serviceProviderCallId == "support-42")
        #expect(answer.provider == "LIVEKIT" && answer.mediaKind == "AUDIO_VIDEO")
        #expect(answer.endpoint == "ws://calls.example:7880")
        let claims = try AccessToken.verify(
            answer.credentials.token, secrets: ["key": "se:cret"], now: Date().timeIntervalSince1970)
        #expect(claims.identity == "alice" && claims.name == "Alice A")
        #expect(claims.video?.room == "support-42" && claims.video?.roomJoin == true)
    }

    @Test func anIdentityIsMadeWhereNoneIsGiven() throws {
        let tokens = try (0..<2).map { _ in try decode(ask("?conversation=c")).credentials.token }
        let identities = try tokens.map { try AccessToken.inspect($0).identity }
        #expect(identities.allSatisfy { $0.hasPrefix("guest-") && $0.count > 10 })
        #expect(identities[0] != identities[1])
    }

    @Test(arguments: [nil, "key:wrong!!", "key:", "other:se:cret", "key", ":", "KEY:se:cret"] as [String?])
    func wrongCredentialsAreRefused(credentials: String?) {
        let response = ask("?conversation=c", credentials: credentials)
        // What is no pair of key and secret counts as none.
        let isPair = credentials?.contains(":") == true
        #expect(response.status == (isPair ? .forbidden : .unauthorized))
        #expect(response.fields["WWW-Authenticate"]?.hasPrefix("Basic realm=") == (isPair ? nil : true))
    }

    @Test(arguments: ["", "?conversation=", "?identity=a", "?conversation=c&identity=", "?conversation=c&name="])
    func missingNamesAreToldAfterTheCredentials(query: String) {
        #expect(ask(query).status == .badRequest)
        #expect(ask(query, credentials: nil).status == .unauthorized)
    }

    @Test func longNamesAreRefused() {
        let long = String(repeating: "a", count: 257)
        for query in ["?conversation=\(long)", "?conversation=c&identity=\(long)", "?conversation=c&name=\(long)"] {
            #expect(ask(query).status == .badRequest)
        }
        #expect(ask("?conversation=\(long.dropFirst())").status == .ok)
    }

    @Test(
        arguments: [
            (["Host": "[::1]:7880"], "ws://[::1]:7880"),
            (["Host": "calls.example", "X-Forwarded-Proto": "https"], "wss://calls.example"),
            (["Host": "evil/\"path"], "ws://127.0.0.1"),
            (["Host": "user@evil"], "ws://127.0.0.1"),
            ([:], "ws://127.0.0.1"),
        ] as [(HTTPHeaders, String)])
    func theEndpointIsHowTheClientCallsUs(headers: HTTPHeaders, url: String) throws {
        #expect(try decode(ask("?conversation=c", headers: headers)).endpoint == url)
    }

    @Test func itIsServedOverHTTP() async throws {
        var router = HTTPRouter()
        router.get(DescriptorEndpoint.path) { [endpoint] in endpoint.respond(to: $0) }
        try await withHTTPServer(router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            let target = "\(DescriptorEndpoint.path)?conversation=a%20b"
            client.send("GET \(target) HTTP/1.0\r\nAuthorization: Basic a2V5OnNlOmNyZXQ=\r\n\r\n")
            let response = try await client.response()
            #expect(response.status == 200)
            let answer = try JSONDecoder().decode(Answer.self, from: Data(response.body.utf8))
            #expect(answer.conversationId == "a b")
            // Without a Host field: the address that the connection came in on.
            #expect(answer.endpoint == "ws://127.0.0.1:\(server.port)")
        }
    }
}

@Suite struct ConfigurationTests {
    @Test func theDefaultsServeOneMachine() throws {
        let configuration = CallServerConfiguration(keys: ["key": "secret"])
        #expect(configuration.host == "127.0.0.1" && configuration.port == 7880)
        #expect(configuration.mediaHost == "127.0.0.1")
        try configuration.validate()
    }

    @Test func whatCannotRunIsNamed() {
        func fault(_ change: (inout CallServerConfiguration) -> Void) -> CallServerConfigurationError? {
            var configuration = CallServerConfiguration(keys: ["key": "secret"])
            change(&configuration)
            do throws(CallServerConfigurationError) { try configuration.validate() } catch { return error }
            return nil
        }
        #expect(fault { $0.keys = [:] } == .noKeys)
        #expect(fault { $0.keys = ["key": ""] } == .emptyKey("key"))
        #expect(fault { $0.port = -1 } == .port(-1))
        #expect(fault { $0.port = 65_536 } == .port(65_536))
        #expect(fault { $0.media.eventLoops = 0 } == .eventLoops(0))
        #expect(fault { $0.media.eventLoops = .max } == .eventLoops(.max))
        #expect(
            fault {
                $0.media.port = 65_535; $0.media.eventLoops = 2
            } == .mediaPort(65_535))
        #expect(fault { $0.media.port = .max } == .mediaPort(.max))
        #expect(
            fault {
                $0.media.port = 65_534; $0.media.eventLoops = 2
            } == nil)
    }
}
