import CallModel
import Foundation
import LiveKitProtocol
import Testing

@testable import CallServer

@Suite(.timeLimit(.minutes(10))) struct DashboardTests {
    private func admin(room: String? = nil) -> String {
        TestTokens.join("admin") {
            $0 = VideoGrant(room: room)
            $0.roomAdmin = true
            $0.roomList = room == nil ? true : nil
        }
    }

    private func ask(_ server: CallServer, _ path: String, _ token: String?) async throws -> HTTPTestClient {
        let http = try await HTTPTestClient.connect(server.port)
        let bearer = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
        http.send("GET \(path) HTTP/1.1\r\nHost: h\r\n\(bearer)\r\n")
        return http
    }

    /// The next snapshot in which `pick` finds something.
    private func snapshot<Value>(_ http: HTTPTestClient, _ pick: ([String: Any]) throws -> Value?) async throws -> Value
    {
        while true {
            let event = try await http.text(until: "\n\n")
            guard let start = event.range(of: "event: snapshot\ndata: ") else { continue }
            let data = Data(event[start.upperBound...].utf8)
            let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
            if let value = try pick(object) { return value }
        }
    }

    private func rooms(_ snapshot: [String: Any]) -> [[String: Any]] { snapshot["rooms"] as? [[String: Any]] ?? [] }

    @Test func showsRoomsToAnAdministrator() async throws {
        try await withCallServer {
            $0.watching.dashboard = true
        } _: { server in
            let alice = try await Caller.join(server, "<script>alert(1)</script>", seed: 1)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000)
            let http = try await ask(server, "/dashboard/events", admin())
            let person = try await snapshot(http) { found in
                let people = rooms(found).first?["participants"] as? [[String: Any]]
                return people?.first.flatMap {
                    ($0["tracks"] as? [Any])?.isEmpty == false ? $0["identity"] as? String : nil
                }
            }
            #expect(person == "<script>alert(1)</script>")
            http.close()
            try await alice.media.close()
        }
    }

    @Test func eachSeesWhatItsTokenIsFor() async throws {
        try await withCallServer {
            $0.watching.dashboard = true
        } _: { server in
            let alice = try await Caller.join(server, "alice", seed: 1)
            _ = try await alice.publish(.audio, .microphone, cid: "mic", ssrc: 1000)
            let other = try await ask(server, "/dashboard/events", admin(room: "elsewhere"))
            #expect(try await snapshot(other) { rooms($0).count } == 0)
            let own = try await ask(server, "/dashboard/events", admin(room: "r"))
            #expect(try await snapshot(own) { rooms($0).first?["name"] as? String } == "r")
            let audience = try await ask(server, "/join/events", TestTokens.join("bob"))
            let seen = try await snapshot(audience) { found in
                (found["publishers"] as? [[String: Any]])?.first?["identity"] as? String
            }
            #expect(seen == "alice")
            for http in [other, own, audience] { http.close() }
            try await alice.media.close()
        }
    }

    @Test func refusals() async throws {
        try await withCallServer {
            $0.watching.dashboard = true
            $0.watching.dashboardWatchers = 1
        } _: { server in
            for (path, token, status) in [
                ("/dashboard/events", nil, 401), ("/dashboard/events", "x", 401),
                ("/dashboard/events", TestTokens.join("ann"), 403), ("/join/events", nil, 401),
                ("/join/events", TestTokens.join("ann") { $0.canSubscribe = false }, 403),
                ("/join/livekit-client.js", nil, 404),
            ] as [(String, String?, Int)] {
                let http = try await ask(server, path, token)
                let response = try await http.response()
                #expect(response.status == status, "\(path) \(token ?? "-")")
                http.close()
            }
            let first = try await ask(server, "/dashboard/events", admin())
            _ = try await snapshot(first) { $0["time"] }
            let second = try await ask(server, "/dashboard/events", admin())
            #expect(try await second.response().status == 503)
            for http in [first, second] { http.close() }
        }
    }

    @Test(arguments: ["/dashboard", "/dashboard/page.js", "/dashboard/page.css", "/join", "/join/page.js"])
    func pagesLoadNothingFromElsewhere(path: String) async throws {
        try await withCallServer {
            $0.watching.dashboard = true
        } _: { server in
            let response = try await ask(server, path, nil).response()
            #expect(response.status == 200)
            #expect(response.fields["content-security-policy"]?.hasPrefix("default-src 'self';") == true)
            #expect(response.fields["x-content-type-options"] == "nosniff")
            #expect(
                !response.body.contains("http://") && !response.body.contains("https://") || path == "/join/page.js")
            #expect(!response.body.contains("innerHTML") && !response.body.contains("style="))
        }
    }

    @Test func noPagesUnlessAskedFor() async throws {
        try await withCallServer { server in
            for path in ["/dashboard", "/join"] {
                let response = try await ask(server, path, nil).response()
                #expect(response.status == 404)
            }
        }
    }

    @Test func aClientThatCannotBeReadIsSaidAtTheStart() async throws {
        await #expect(throws: CallServerError.self) {
            try await withCallServer {
                $0.watching.dashboard = true
                $0.watching.liveKitClient = "/nonexistent/livekit-client.umd.js"
            } _: { _ in
            }
        }
    }

    @Test func theJournalsTailIsShort() throws {
        var tail = JournalTail()
        #expect(tail.lines(after: -1, for: .server(key: "k")).isEmpty)
        for number in 0..<300 {
            let call = CallRecord(
                id: "c\(number)", conversationId: number % 2 == 0 ? "r" : "s", serviceProviderCallId: "p",
                serviceProviderType: "livekit", initiatorPersonId: "ann", callType: .audio)
            tail.append(JournalEvent(.initiated, of: call, id: "\(number)", at: CallTime(milliseconds: 0)))
        }
        #expect(tail.last == 299)
        #expect(tail.lines(after: -1, for: .server(key: "k")).count == 200)
        #expect(tail.lines(after: 289, for: .room("r")).count == 5)
        #expect(tail.lines(after: -1, for: .audience("r")).isEmpty)
    }
}
