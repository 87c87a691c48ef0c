import Foundation
import LiveKitProtocol
import OpenTokSignalling
import RTCCore
import Testing

@testable import CallServer

/// The STUN and TURN servers that clients are told of, with fixed credentials and with those that expire.
@Suite(.timeLimit(.minutes(10))) struct ICEServerTests {
    private static let relay = ICEServer(urls: ["turn:t.example:3478"], sharedSecret: "north-star", lifetime: 86_400)

    /// Base64 of HMAC-SHA1, as `openssl dgst -sha1 -hmac SECRET -binary | base64` computes it.
    @Test func credentialsThatExpire() {
        let issued = Self.relay.issued(to: "PA_abc", at: 1_700_000_000_999)
        #expect(issued.username == "1700086400:PA_abc" && issued.credential == "T4nDFuiSclNbCGLF9Br+yWCF3uk=")
        #expect(issued.urls == Self.relay.urls && issued.sharedSecret == nil)
        var named = ICEServer(urls: ["turn:h"], sharedSecret: String(repeating: "k", count: 100), lifetime: 60)
        named.username = "fixed"
        let other = named.issued(to: "PA_abc", at: 1_700_000_000_000)
        #expect(other.username == "1700000060:fixed" && other.credential == "yVPtEBz2YNSp2TlQ+IIrJw+/r6s=")
    }

    @Test func fixedCredentialsStay() {
        let fixed = ICEServer(urls: ["turn:h"], username: "ada", credential: "open-sesame")
        #expect([fixed, ICEServer(urls: ["stun:h"])].issued(to: "PA_abc", at: 1).map(\.username) == ["ada", ""])
        #expect(fixed.issued(to: "PA_abc", at: 1) == fixed)
    }

    @Test func faults() {
        #expect(Self.relay.fault == nil && ICEServer(urls: ["stun:h"]).fault == nil)
        #expect(ICEServer(urls: ["turn:h"], sharedSecret: "").fault?.contains("empty shared secret") == true)
        #expect(ICEServer(urls: ["turn:h"], sharedSecret: "s", lifetime: 59).fault?.contains("59 s") == true)
        #expect(ICEServer(urls: ["turn:h"]).fault?.contains("user name") == true)
        #expect(ICEServer(urls: ["http://h"], sharedSecret: "s").fault?.contains("http://h") == true)
        #expect(ICEServer(urls: [], sharedSecret: "s").fault?.contains("no URL") == true)
    }

    /// Whether credentials are good for a day from now, and the TURN server would take them.
    private func expectIssued(_ username: String, _ credential: String, to participant: String) throws {
        let parts = username.split(separator: ":", maxSplits: 1).map(String.init)
        let expiry = try #require(parts.first.flatMap { Double($0) })
        #expect(abs(expiry - Date().timeIntervalSince1970 - 86_400) < 60)
        #expect(parts.last == participant)
        var code = [UInt8](repeating: 0, count: HMACSHA1.byteCount)
        Array(username.utf8).withUnsafeBytes { message in
            code.withUnsafeMutableBytes { HMACSHA1(password: "north-star").authenticate(message, into: $0) }
        }
        #expect(credential == Data(code).base64EncodedString())
    }

    /// Each participant has its own, and gets others when it resumes; the secret is told to nobody.
    @Test func participantsGetTheirOwn() async throws {
        try await withCallServer {
            $0.media.iceServers = [ICEServer(urls: ["stun:s.example"]), Self.relay]
        } _: { server in
            var names: Set<String> = []
            for identity in ["alice", "bob"] {
                let client = try await LiveKitTestClient.join(server.port, token: TestTokens.join(identity))
                let join = try #require(try await client.next().joining)
                #expect(join.iceServers.map(\.urls) == [["stun:s.example"], ["turn:t.example:3478"]])
                #expect(join.iceServers[0].username.isEmpty && join.iceServers[0].credential.isEmpty)
                let relay = join.iceServers[1]
                try expectIssued(relay.username, relay.credential, to: join.participant.sid)
                names.insert(relay.username)
                #expect(try !join.serializedData().contains("north-star"))
            }
            #expect(names.count == 2)
            var carol = try await Caller.join(server, "carol", seed: 23)
            carol.signal.drop()
            let resumed = try await carol.resume(server, "carol")
            let again = try #require(resumed.iceServers.last)
            let sid = try #require(again.username.split(separator: ":").last.map(String.init))
            #expect(sid.hasPrefix("PA_"))
            try expectIssued(again.username, again.credential, to: sid)
            try await carol.media.close()
        }
    }

    @Test func sessionsOfTheOtherDialectGetTheirOwn() async throws {
        try await withCallServer {
            $0.media.iceServers = [Self.relay, ICEServer(urls: ["turn:f"], username: "ada", credential: "open-sesame")]
        } _: { server in
            let session = try await OpenTokTestApplication(port: server.port).makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let servers = try await ada.state().iceServers
            #expect(servers.map(\.url) == ["turn:t.example:3478", "turn:f"])
            try expectIssued(try #require(servers[0].username), try #require(servers[0].credential), to: "ada")
            #expect(servers[1].username == "ada" && servers[1].credential == "open-sesame")
        }
    }
}

extension Data {
    fileprivate func contains(_ text: String) -> Bool { range(of: Data(text.utf8)) != nil }
}
