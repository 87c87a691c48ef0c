import Foundation
import LiveKitProtocol
import NIOConcurrencyHelpers
import OpenTokSignalling
import Testing

@testable import CallServer

/// The REST API over HTTP, with clients in the session.
@Suite(.timeLimit(.minutes(10))) struct OpenTokRESTTests {
    private static func stream(_ id: String) -> RaptorStream {
        RaptorStream(
            id: id, name: "n",
            channels: [RaptorChannel(id: "audio1", kind: .audio), RaptorChannel(id: "video1", kind: .video)])
    }

    @Test func commandsActOnTheSession() async throws {
        try await withCallServer { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession(.relayed)
            let base = "session/\(session.text)"
            #expect(try await api.call(below: "\(base)/stream", "GET").status == 404)
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob")
            try await ada.ask(.publish(Self.stream("s")))
            let list = try await api.call(below: "\(base)/stream", "GET")
            #expect(list.status == 200 && list.fields["content-type"] == "application/json")
            #expect(
                list.body
                    == #"{"count":1,"items":[{"id":"s","layoutClassList":["first"],"name":"n","videoType":"camera"}]}"#)
            let classes = #"{"items":[{"id":"s","layoutClassList":["focus"]}]}"#
            #expect(try await api.call(below: "\(base)/stream", "PUT", classes).status == 200)
            #expect(try await api.call(below: "\(base)/stream/s", "GET").body.contains("focus"))
            #expect(try await api.call(below: "\(base)/stream/x", "GET").status == 408)

            let signal = #"{"type":"t","data":"from the server"}"#
            let signalled = try await api.call(below: "\(base)/signal", "POST", signal)
            #expect(signalled.status == 204 && signalled.body.isEmpty)
            #expect(try await bob.signals(until: "from the server").count == 1)
            #expect(try await api.call(below: "\(base)/connection/x/signal", "POST", signal).status == 404)
            #expect(try await api.call(below: "\(base)/stream/s/mute", "POST").status == 200)
            _ = try await ada.next { event -> Bool? in if case .streamMuted("s") = event { true } else { nil } }
            let mute = #"{"active":true,"excludedStreams":["s"]}"#
            #expect(try await api.call(below: "\(base)/mute", "POST", mute).status == 200)
            let forced = try await bob.next { event -> ForceMute? in
                if case .muteForced(let mute) = event { mute } else { nil }
            }
            #expect(forced == ForceMute(isActive: true, excludedStreams: ["s"]))
            #expect(try await api.call(below: "\(base)/play-dtmf", "POST", #"{"digits":"1p#"}"#).status == 200)
            #expect(try await api.call(below: "\(base)/connection/ada", "DELETE").status == 204)
            #expect(try await api.call(below: "\(base)/connection/ada", "DELETE").status == 404)
            let reasons = try await bob.settled().compactMap { event -> RaptorReason? in
                switch event {
                case .streamDeleted(_, let reason), .connectionDeleted(_, let reason): reason
                default: nil
                }
            }
            #expect(reasons == [.forceDisconnected, .forceDisconnected])
        }
    }

    @Test func refusalsAreThoseOfTheDocument() async throws {
        try await withCallServer { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession()
            let wrong = OpenTokTestApplication(port: server.port, secret: "another")
            let refused = try await wrong.call(below: "session/\(session.text)/stream", "GET")
            #expect(refused.status == 403 && refused.body.contains(#""code":-1"#))
            #expect(try await wrong.call("POST", "/session/create").status == 403)
            #expect(try await wrong.call(below: "archive", "POST", String(repeating: "x", count: 1000)).status == 403)
            let foreign = try await api.call("GET", "/v2/project/other/session/\(session.text)/stream")
            #expect(foreign.status == 403)
            #expect(try await api.call(below: "session/\(session.text)/stream", "DELETE").status == 405)
            #expect(try await api.call(below: "nothing", "GET").status == 404)
            let long = #"{"type":"\#(String(repeating: "t", count: 129))"}"#
            #expect(try await api.call(below: "session/\(session.text)/signal", "POST", long).status == 413)
            for path in ["broadcast", "dial", "captions", "render", "connect"] {
                #expect(try await api.call(below: path, "POST", "{}").status == 501)
            }
            let archive = #"{"sessionId":"\#(session.text)"}"#
            let recorder = try await api.call(below: "archive", "POST", archive)
            #expect(recorder.status == 501 && recorder.body.contains("no recorder"))
        }
    }

    @Test func sessionCallbacksComeInOrderAndAreRepeated() async throws {
        // The first one fails, and holds the others back.
        let receiver = WebhookReceiver { $0 == 0 ? .internalServerError : .ok }
        try await withHTTPServer(receiver.router) { http in
            try await withCallServer {
                $0.webhooks.sessions = ["http://127.0.0.1:\(http.port)/hooks"]
                $0.webhooks.policy.firstDelay = .milliseconds(20)
            } _: { server in
                let session = try await OpenTokTestApplication(port: server.port).makeSession(.relayed)
                let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
                try await ada.ask(.publish(Self.stream("s")))
                await ada.send(.disconnect)
                let requests = await receiver.count(7)
                let events = requests.compactMap { try? JSON(parsing: $0.body) }
                let names = events.compactMap { event -> String? in
                    if case .string(let name)? = event["event"] { name } else { nil }
                }
                #expect(
                    names == [
                        "sessionCreated", "sessionCreated", "connectionCreated", "streamCreated", "streamDestroyed",
                        "connectionDestroyed", "sessionDestroyed",
                    ])
                #expect(requests[0].body == requests[1].body)
                #expect(events.allSatisfy { $0["sessionId"] == .string(session.text) && $0["projectId"] == "key" })
                #expect(events[5]["reason"] == "clientDisconnected" && events[5]["connection"]?["data"] == "name=ada")
                let bearer = requests[0].authorization.dropFirst("Bearer ".count)
                let claims = try AccessToken.verify(
                    String(bearer), secrets: ["key": "secret"], now: Date().timeIntervalSince1970)
                #expect(claims.sha256 == BodyHash.sha256(requests[0].body))
            }
        }
    }

    // MARK: Archives

    /// Notes its orders, and reports what it is told to.
    private final class TestArchiver: RoomArchiver {
        typealias Report = @Sendable (ArchiveProgress) -> Void
        let orders = NIOLockedValueBox<[ArchiveOrder]>([])
        let calls = NIOLockedValueBox<[String]>([])
        private let reports = NIOLockedValueBox<[String: Report]>([:])

        func start(_ order: ArchiveOrder, report: @escaping Report) {
            orders.withLockedValue { $0.append(order) }
            reports.withLockedValue { $0[order.id] = report }
            report(ArchiveProgress(.recording))
        }

        func stop(_ archive: String) {
            calls.withLockedValue { $0.append("stop") }
            let report = reports.withLockedValue { $0[archive] }
            report?(ArchiveProgress(.stopped, size: 10, duration: 1.6))
            report?(ArchiveProgress(.available, size: 1000, duration: 2.4, url: "file:///a.webm"))
        }

        func delete(_ archive: String, of project: String) { calls.withLockedValue { $0.append("delete") } }

        func earlierArchives(limit: Int) -> [EarlierArchive] { [] }
        func file(of archive: String, project: String) -> String? { nil }

        func change(_ archive: String, _ change: ArchiveChange) {
            calls.withLockedValue { $0.append("\(change)".prefix { $0 != "(" }.description) }
        }
    }

    @Test func anArchiveIsStartedToldStoppedListedAndDeleted() async throws {
        let archiver = TestArchiver()
        try await withCallServer {
            $0.archiver = archiver
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession()
            func start(_ more: String = "") async throws -> HTTPTestClient.Response {
                try await api.call(below: "archive", "POST", #"{"sessionId":"\#(session.text)","name":"a"\#(more)}"#)
            }
            #expect(try await start().status == 404)
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let started = try await start(#","resolution":"1280x720""#)
            #expect(started.status == 200 && started.body.contains(#""status":"started""#))
            let order = try #require(archiver.orders.withLockedValue { $0.first })
            #expect(order.output == .composed(width: 1280, height: 720, .bestFit) && order.takesAllStreams)
            #expect(order.server == "http://h" && order.room == session.text)
            let token = try OpenTokToken(
                verifying: order.token, secrets: ["key": "secret"], session: session.text,
                now: OpenTokTestApplication.now)
            #expect(token.role == .subscriber)
            let recorder = try await OpenTokTestClient.connect(
                server.port, session, id: "recorder", token: order.token)
            #expect(try await recorder.join(token: order.token).status == 200)
            #expect(try await ada.state().connections.map(\.id) == ["ada"])
            #expect(try await start().status == 409)
            let late = try await OpenTokTestClient.join(server.port, session, id: "late")
            #expect(try await late.state().archives.map(\.id) == [order.id])

            let layout = #"{"type":"pip"}"#
            #expect(try await api.call(below: "archive/\(order.id)/layout", "PUT", layout).status == 200)
            let add = #"{"addStream":"s"}"#
            #expect(try await api.call(below: "archive/\(order.id)/streams", "PATCH", add).status == 409)
            #expect(try await api.call(below: "archive/\(order.id)", "DELETE").status == 409)
            #expect(try await api.call(below: "archive/\(order.id)/stop", "POST").status == 200)
            var statuses: [RaptorArchive.Status] = []
            while statuses.last != .available {
                statuses.append(
                    try await ada.next { event -> RaptorArchive.Status? in
                        switch event {
                        case .archiveCreated(let archive), .archiveUpdated(let archive): archive.status
                        default: nil
                        }
                    })
            }
            #expect(statuses == [.started, .stopped, .available])
            let fetched = try await api.call(below: "archive/\(order.id)", "GET").body
            #expect(fetched.contains(#""duration":2"#) && fetched.contains(#""size":1000"#))
            #expect(try await api.call(below: "archive?count=1", "GET").body.hasPrefix(#"{"count":1,"#))
            #expect(try await api.call(below: "archive?sessionId=x", "GET").body == #"{"count":0,"items":[]}"#)
            #expect(try await api.call(below: "archive/\(order.id)/stop", "POST").status == 409)
            #expect(try await api.call(below: "archive/\(order.id)", "DELETE").status == 204)
            #expect(try await api.call(below: "archive/\(order.id)", "GET").status == 404)
            #expect(archiver.calls.withLockedValue { $0 } == ["arrange", "stop", "delete"])
        }
    }

    @Test func archivesAreBoundedAndForRoutedSessions() async throws {
        let archiver = TestArchiver()
        try await withCallServer {
            $0.archiver = archiver
            $0.limits.archives = 1
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let relayed = try await api.makeSession(.relayed)
            let routed = try await api.makeSession()
            _ = try await OpenTokTestClient.join(server.port, relayed, id: "a")
            let keep = try await OpenTokTestClient.join(server.port, routed, id: "a")
            func start(_ session: OpenTokSessionID, _ tag: String) async throws -> HTTPTestClient.Response {
                let body = #"{"sessionId":"\#(session.text)","multiArchiveTag":"\#(tag)"}"#
                return try await api.call(below: "archive", "POST", body)
            }
            #expect(try await start(relayed, "1").status == 409)
            #expect(try await start(routed, "1").status == 200)
            #expect(try await start(routed, "2").status == 409)
            let first = try #require(archiver.orders.withLockedValue { $0.first })
            #expect(try await api.call(below: "archive/\(first.id)/stop", "POST").status == 200)
            #expect(try await start(routed, "2").status == 200)
            #expect(try await api.call(below: "archive/\(first.id)", "GET").status == 404)
            _ = try await keep.settled()
        }
    }

    @Test func aSessionThatIsAlwaysArchivedBeginsWithTheFirstOne() async throws {
        let archiver = TestArchiver()
        try await withCallServer {
            $0.archiver = archiver
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let form = "archiveMode=always&archiveName=n&archiveResolution=1920x1080"
            let made = try await api.call("POST", "/session/create", form, type: "application/x-www-form-urlencoded")
            guard case .array(let items) = try JSON(parsing: Array(made.body.utf8)),
                case .string(let id)? = items.first?["session_id"]
            else {
                Issue.record("no session")
                return
            }
            let session = try OpenTokSessionID(parsing: id)
            #expect(archiver.orders.withLockedValue { $0.isEmpty })
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let bob = try await OpenTokTestClient.join(server.port, session, id: "bob")
            let archive = try await ada.next { event -> RaptorArchive? in
                if case .archiveCreated(let archive) = event { archive } else { nil }
            }
            let orders = archiver.orders.withLockedValue { $0 }
            #expect(orders.map(\.id) == [archive.id] && orders[0].name == "n")
            #expect(orders[0].output == .composed(width: 1920, height: 1080, .bestFit))
            #expect(try await bob.state().archives.map(\.status) == [.started])
        }
    }
}
