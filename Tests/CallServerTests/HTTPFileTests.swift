import Foundation
import NIOCore
import Testing

@testable import CallServer

/// Files as answers: whole, in part, and never all of one in memory.
@Suite(.timeLimit(.minutes(10))) struct HTTPFileTests {
    /// A file of 300,000 bytes, more than two pieces, served at `/f`; the folder is gone with the test.
    private final class Fixture {
        let path = "\(NSTemporaryDirectory())/file-\(UUID().uuidString)"
        let text = String((0..<300_000).map { Character(UnicodeScalar(UInt8(97 + $0 % 23))) })

        init() throws { try Data(text.utf8).write(to: URL(fileURLWithPath: path)) }

        deinit { try? FileManager.default.removeItem(atPath: path) }

        var router: HTTPRouter {
            var router = HTTPRouter()
            router.get("/f") { [path] request in
                guard let file = HTTPFile(path: path) else { return .notFound }
                return HTTPResponse(
                    file, contentType: "video/webm", range: request.headers.first(name: "range"),
                    ifRange: request.headers.first(name: "if-range"))
            }
            return router
        }

        func slice(_ range: Range<Int>) -> String { String(Array(text)[range]) }
    }

    private static func ask(
        _ client: HTTPTestClient, _ fields: String = "", method: String = "GET"
    ) async throws -> HTTPTestClient.Response {
        client.send("\(method) /f HTTP/1.1\r\nHost: h\r\n\(fields)\r\n")
        return try await client.response(toHead: method == "HEAD")
    }

    @Test func aFileComesWholeAndInParts() async throws {
        let fixture = try Fixture()
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.connect(server.port)
            let whole = try await Self.ask(client)
            #expect(whole.status == 200 && whole.body == fixture.text)
            #expect(whole.fields["accept-ranges"] == "bytes" && whole.fields["content-type"] == "video/webm")
            let head = try await Self.ask(client, method: "HEAD")
            #expect(head.status == 200 && head.fields["content-length"] == "300000")
            let middle = try await Self.ask(client, "Range: bytes=1000-200999\r\n")
            #expect(middle.status == 206 && middle.fields["content-range"] == "bytes 1000-200999/300000")
            #expect(middle.body == fixture.slice(1_000..<201_000))
            let tail = try await Self.ask(client, "Range: bytes=-5\r\n")
            #expect(tail.status == 206 && tail.body == fixture.slice(299_995..<300_000))
            let tag = try #require(whole.fields["etag"])
            #expect(try await Self.ask(client, "Range: bytes=0-1\r\nIf-Range: \(tag)\r\n").status == 206)
            #expect(try await Self.ask(client, "Range: bytes=0-1\r\nIf-Range: \"other\"\r\n").body == fixture.text)
            let beyond = try await Self.ask(client, "Range: bytes=300000-\r\n")
            #expect(beyond.status == 416 && beyond.fields["content-range"] == "bytes */300000" && beyond.body.isEmpty)
            client.close()
        }
    }

    @Test func aFileThatShrinksEndsTheConnection() async throws {
        let fixture = try Fixture()
        // More than sockets hold: it is not on its way yet when it shrinks.
        let size = 64 << 20
        #expect(truncate(fixture.path, off_t(size)) == 0)
        try await withHTTPServer(fixture.router) { server in
            let client = try await HTTPTestClient.connect(server.port, reads: false)
            client.send("GET /f HTTP/1.1\r\nHost: h\r\n\r\n")
            #expect(truncate(fixture.path, 10) == 0)
            try await client.setReading(true)
            let rest = try await client.untilClosed()
            #expect(rest.count < size)
        }
    }

    @Test(
        arguments: [
            ("bytes=0-", .part(offset: 0, length: 100)), ("bytes=10-19", .part(offset: 10, length: 10)),
            ("bytes=90-900", .part(offset: 90, length: 10)), ("BYTES=-1", .part(offset: 99, length: 1)),
            ("bytes=-900", .part(offset: 0, length: 100)), ("bytes=99-99", .part(offset: 99, length: 1)),
            ("bytes=100-", .unsatisfiable), ("bytes=-0", .unsatisfiable), ("bytes=0-1,3-4", .all), ("bytes=5-4", .all),
            ("bytes=-", .all), ("bytes=a-b", .all), ("bytes=+1-2", .all), ("items=0-1", .all), ("", .all),
            ("bytes=0-9223372036854775808", .all), ("bytes=9223372036854775807-", .unsatisfiable),
            ("bytes=0-9223372036854775807", .part(offset: 0, length: 100)), ("bytes=1-2-3", .all),
            ("bytes=-9223372036854775807", .part(offset: 0, length: 100)),
        ] as [(String, HTTPByteRange)])
    func ranges(field: String, wanted: HTTPByteRange) {
        #expect(HTTPByteRange(field, size: 100) == wanted)
    }

    @Test func anEmptyFileHasNoPart() {
        #expect(HTTPByteRange(nil, size: 0) == .all && HTTPByteRange("bytes=0-", size: 0) == .unsatisfiable)
    }

    @Test func onlyPlainFilesAreServed() throws {
        let fixture = try Fixture()
        #expect(HTTPFile(path: NSTemporaryDirectory()) == nil && HTTPFile(path: "/dev/zero") == nil)
        let link = fixture.path + "-link"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: fixture.path)
        defer { try? FileManager.default.removeItem(atPath: link) }
        #expect(HTTPFile(path: link) == nil && HTTPFile(path: fixture.path)?.size == 300_000)
    }
}
