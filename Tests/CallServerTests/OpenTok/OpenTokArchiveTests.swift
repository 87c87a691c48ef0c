import Foundation
import NIOConcurrencyHelpers
import OpenTokSignalling
import Testing

@testable import CallServer

/// What the server itself does about archives: who records them is made up.
@Suite(.timeLimit(.minutes(10))) struct OpenTokArchiveTests {
    /// Keeps one file for all archives, and does nothing by itself.
    private final class Keeper: RoomArchiver {
        struct Call: Hashable {
            var archive: String
            var change: ArchiveChange?
        }

        let path = "\(NSTemporaryDirectory())/archive-\(UUID().uuidString).webm"
        let earlier: [EarlierArchive]
        let calls = NIOLockedValueBox<[Call]>([])
        private let reports = NIOLockedValueBox<[String: @Sendable (ArchiveProgress) -> Void]>([:])

        init(_ earlier: [EarlierArchive] = []) throws {
            self.earlier = earlier
            try Data("the recording".utf8).write(to: URL(fileURLWithPath: path))
        }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        func start(_ order: ArchiveOrder, report: @escaping @Sendable (ArchiveProgress) -> Void) {
            reports.withLockedValue { $0[order.id] = report }
        }

        func report(_ progress: ArchiveProgress, of archive: String) {
            reports.withLockedValue { $0[archive] }?(progress)
        }

        func stop(_ archive: String) { calls.withLockedValue { $0.append(Call(archive: archive)) } }
        func delete(_ archive: String, of project: String) {}
        func earlierArchives(limit: Int) -> [EarlierArchive] { Array(earlier.suffix(limit)) }
        func file(of archive: String, project: String) -> String? { path }

        func change(_ archive: String, _ change: ArchiveChange) {
            calls.withLockedValue { $0.append(Call(archive: archive, change: change)) }
        }
    }

    private static let session = OpenTokSessionID(project: "key", mediaMode: .routed, createdAt: 1_700_000_000_000)

    private static func earlier(_ id: String, _ state: ArchiveProgress.State, room: String = session.text)
        -> EarlierArchive
    {
        let order = ArchiveOrder(
            id: id, name: "n", project: "key", room: room, createdAt: 1_700_000_000_000, tag: "t",
            output: .composed(width: 1280, height: 720, .init(.pictureInPicture)))
        return EarlierArchive(order, ArchiveProgress(state, size: 13, duration: 2.6, reason: "why"))
    }

    private static func text(_ body: String, _ name: String) throws -> String? {
        guard case .string(let text)? = try JSON(parsing: Array(body.utf8))[name] else { return nil }
        return text
    }

    @Test func archivesOfBeforeAreListedAndFetched() async throws {
        let keeper = try Keeper([
            Self.earlier("old", .failed), Self.earlier("new", .available),
            Self.earlier("odd", .available, room: "room"),
        ])
        try await withCallServer {
            $0.archiver = keeper
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let list = try await api.call(below: "archive", "GET").body
            #expect(list.hasPrefix(#"{"count":2,"#) && !list.contains("odd"))
            let old = try await api.call(below: "archive/old", "GET").body
            #expect(old.contains(#""status":"failed""#) && old.contains(#""url":null"#))
            let new = try await api.call(below: "archive/new", "GET").body
            for part in [
                #""status":"available""#, #""size":13"#, #""duration":3"#, #""resolution":"1280x720""#,
                #""reason":"why""#,
                #""multiArchiveTag":"t""#, #""createdAt":1700000000000"#,
            ] {
                #expect(new.contains(part), "\(part) is missing in \(new)")
            }
            let url = try #require(try Self.text(new, "url"))
            try #require(url.hasPrefix("http://h/archive/key/new/archive-"))
            let target = String(url.dropFirst("http://h".count))
            let fetched = try await Self.get(target, server.port)
            #expect(fetched.status == 200 && fetched.body == "the recording")
            #expect(fetched.fields["content-type"] == "video/webm")
            let part = try await Self.get(target, server.port, "Range: bytes=4-\r\n")
            #expect(part.status == 206 && part.body == "recording")
            // What has no file is none of the links that hold.
            #expect(try await api.call(below: "archive/new", "DELETE").status == 204)
            let gone = try await Self.get(target, server.port)
            #expect(gone.status == 404)
        }
    }

    private static func get(
        _ target: String, _ port: Int, _ fields: String = ""
    ) async throws -> HTTPTestClient.Response {
        let client = try await HTTPTestClient.connect(port)
        defer { client.close() }
        client.send("GET \(target) HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return try await client.response()
    }

    @Test(arguments: [
        "/archive/", "/archive/key/new", "/archive/key/new/archive.webm", "/archive/key/../../etc/passwd?signature=x",
        "/archive/key/%2e%2e/archive.webm?expires=1&signature=",
        "/archive/key/new/a?expires=99999999999&signature=AAAA",
        "/archive/none/new/a?expires=1&signature=x", "/archive/key/new/a/b?expires=x&signature=%00",
    ])
    func nobodyFetchesWithoutALink(target: String) async throws {
        let keeper = try Keeper([Self.earlier("new", .available)])
        try await withCallServer {
            $0.archiver = keeper
        } _: { server in
            let refused = try await Self.get(target, server.port)
            #expect(refused.status == 403)
        }
    }

    @Test func aStyleSheetIsRefusedAndNamed() async throws {
        let keeper = try Keeper()
        try await withCallServer {
            $0.archiver = keeper
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            func start(_ more: String) async throws -> HTTPTestClient.Response {
                try await api.call(below: "archive", "POST", #"{"sessionId":"\#(session.text)"\#(more)}"#)
            }
            for layout in [
                #"{"type":"custom","stylesheet":"stream {width: 10%}"}"#,
                #"{"type":"bestFit","screenshareType":"custom"}"#,
            ] {
                let refused = try await start(#","layout":\#(layout)"#)
                #expect(refused.status == 400 && refused.body.contains("custom is not there"))
            }
            let started = try await start(#","layout":{"type":"bestFit","screenshareType":"pip"}"#)
            let id = try #require(try Self.text(started.body, "id"))
            let custom = #"{"type":"custom","stylesheet":"x"}"#
            #expect(try await api.call(below: "archive/\(id)/layout", "PUT", custom).status == 400)
            #expect(keeper.calls.withLockedValue { $0.isEmpty })
            let pip = #"{"type":"bestFit","screenshareType":"verticalPresentation"}"#
            #expect(try await api.call(below: "archive/\(id)/layout", "PUT", pip).status == 200)
            let change = ArchiveChange.arrange(.init(.bestFit, whileSharing: .verticalPresentation))
            #expect(keeper.calls.withLockedValue { $0.last } == .init(archive: id, change: change))
            let single = try await start(#","outputMode":"individual","multiArchiveTag":"2""#)
            let other = try #require(try Self.text(single.body, "id"))
            let refused = try await api.call(below: "archive/\(other)/layout", "PUT", #"{"type":"pip"}"#)
            #expect(refused.status == 400 && refused.body.contains("no picture to arrange"))
            _ = try await ada.settled()
        }
    }

    /// Streams that are there, and those that come, with the classes of their publisher's token.
    @Test func layoutClassesReachTheRecorder() async throws {
        let keeper = try Keeper()
        try await withCallServer {
            $0.archiver = keeper
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let channels = [RaptorChannel(id: "audio1", kind: .audio)]
            try await ada.ask(.publish(RaptorStream(id: "early", name: "n", channels: channels)))
            let started = try await api.call(below: "archive", "POST", #"{"sessionId":"\#(session.text)"}"#)
            let id = try #require(try Self.text(started.body, "id"))
            try await ada.ask(.publish(RaptorStream(id: "late", name: "n", channels: channels)))
            _ = try await ada.settled()
            let changes = ["early", "late"].map { ArchiveChange.layoutClasses(stream: $0, ["first"]) }
            // One that comes while the archive begins may be named twice.
            var calls = keeper.calls.withLockedValue { $0 }
            while calls.count > 2, calls[0] == calls[1] { calls.removeFirst() }
            #expect(calls == changes.map { .init(archive: id, change: $0) })
        }
    }

    @Test func aStoppedArchiveStaysStoppedUntilItsFileIsThere() async throws {
        let keeper = try Keeper()
        try await withCallServer {
            $0.archiver = keeper
        } _: { server in
            let api = OpenTokTestApplication(port: server.port)
            let session = try await api.makeSession()
            let ada = try await OpenTokTestClient.join(server.port, session, id: "ada")
            let started = try await api.call(below: "archive", "POST", #"{"sessionId":"\#(session.text)"}"#)
            let id = try #require(try Self.text(started.body, "id"))
            func shown() async throws -> String { try await api.call(below: "archive/\(id)", "GET").body }
            keeper.report(.init(.recording, size: 500, duration: 4.4), of: id)
            let running = try await shown()
            #expect(running.contains(#""size":500"#) && running.contains(#""duration":4"#))
            let stopped = try await api.call(below: "archive/\(id)/stop", "POST")
            #expect(stopped.status == 200 && stopped.body.contains(#""status":"stopped""#))
            #expect(stopped.body.contains("user initiated"))
            // The recorder has not yet heard of it.
            keeper.report(.init(.recording, size: 600, duration: 5), of: id)
            #expect(try await shown().contains(#""status":"stopped""#))
            #expect(try await api.call(below: "archive/\(id)/stop", "POST").status == 409)
            keeper.report(.init(.failed, size: 600, duration: 5, reason: "the disk is full"), of: id)
            let failed = try await shown()
            #expect(failed.contains(#""status":"failed""#) && failed.contains("the disk is full"))
            _ = try await ada.settled()
        }
    }
}
