import ArgumentParser
import Foundation
import OpenTokSignalling
import TransportSecurity
import WebClient

/// A server's REST API as far as it is about archives.
struct ArchiveAPI {
    private static let prefix = "/v2/project/"

    private let server: URLComponents
    private let name: String
    private let project: OpenTokProject
    private let trust: TLSTrust

    /// Throws `ValidationError`.
    init(server: String, key: String, secret: String, trust: TLSTrust) throws {
        guard let parts = URLComponents(string: server) else {
            throw ValidationError("--server \"\(server)\" is no URL; write it as http://host:port or https://host.")
        }
        self.server = parts
        name = server
        do { project = try OpenTokProject(key: key, secret: secret) } catch {
            throw ValidationError("--key: \(error).")
        }
        self.trust = trust
    }

    func start(_ order: ArchiveStartOrder) async throws -> ArchiveRecord {
        try await record(.post, "archive", body: try JSONEncoder().encode(order))
    }

    func stop(_ id: String) async throws -> ArchiveRecord { try await record(.post, "archive/\(id)/stop") }

    func archive(_ id: String) async throws -> ArchiveRecord { try await record(.get, "archive/\(id)") }

    func delete(_ id: String) async throws { _ = try await send(.delete, "archive/\(id)") }

    func archives(session: String?, offset: Int, count: Int) async throws -> ArchiveRecordList {
        var items = [
            URLQueryItem(name: "offset", value: "\(offset)"), URLQueryItem(name: "count", value: "\(count)"),
        ]
        if let session { items.append(URLQueryItem(name: "sessionId", value: session)) }
        return try decode(ArchiveRecordList.self, try await send(.get, "archive", query: items))
    }

    /// Bytes of an archive's file; nil where the link holds no longer.
    func part(of url: String, _ bytes: Range<Int64>) async throws -> [UInt8]? {
        guard let link = URLComponents(string: url) else { throw failure("names no URL for the archive") }
        var request = WebRequest(.get, link, trust: trust)
        request.headers = [("Range", "bytes=\(bytes.lowerBound)-\(bytes.upperBound - 1)")]
        request.timeout = 60
        let answer = try await answer(to: request, atMost: bytes.count)
        switch answer.status {
        case 206 where answer.body.count == bytes.count: return answer.body
        case 403: return nil
        default: throw failure("answers \(answer.status) to a request for a part of the file")
        }
    }

    // MARK: Requests

    private func record(_ method: WebRequest.Method, _ path: String, body: Data = Data()) async throws -> ArchiveRecord
    {
        try decode(ArchiveRecord.self, try await send(method, path, body: body))
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ body: [UInt8]) throws -> Value {
        do { return try JSONDecoder().decode(type, from: Data(body)) } catch {
            throw failure("answers with what is no archive")
        }
    }

    private func send(
        _ method: WebRequest.Method, _ path: String, query: [URLQueryItem] = [], body: Data = Data()
    ) async throws -> [UInt8] {
        var url = server
        let base =
            url.percentEncodedPath.hasSuffix("/") ? String(url.percentEncodedPath.dropLast()) : url.percentEncodedPath
        url.percentEncodedPath = "\(base)\(Self.prefix)\(project.key)/\(path)"
        if !query.isEmpty { url.queryItems = query }
        var request = WebRequest(method, url, trust: trust)
        let token = RESTAuthentication.header(for: project, now: Int64(Date().timeIntervalSince1970))
        request.headers = [("X-OPENTOK-AUTH", token), ("Content-Type", "application/json")]
        request.body = Array(body)
        let answer = try await answer(to: request, atMost: 4 << 20)
        guard (200..<300).contains(answer.status) else { throw refusal(answer) }
        return answer.body
    }

    private func answer(to request: WebRequest, atMost limit: Int) async throws -> WebAnswer {
        do { return try await WebClient.send(request, maximumBody: limit) } catch {
            throw failure("can't be asked: \(error)")
        }
    }

    private func failure(_ problem: String) -> ExitStatus.Failure {
        ExitStatus.Failure(status: .environment, message: "\(name) \(problem)")
    }

    /// What can't be done now is named; who is not let in, or asks another server, lacks something here.
    private func refusal(_ answer: WebAnswer) -> ExitStatus.Failure {
        struct Words: Decodable {
            var message: String?
            var description: String?
        }
        let words = try? JSONDecoder().decode(Words.self, from: Data(answer.body))
        let status: ExitStatus =
            switch answer.status {
            case 400, 413: .usage
            case 404, 409: .lost
            default: .environment
            }
        let reason = [words?.message, answer.status == 403 ? words?.description : nil].compactMap(\.self)
        return ExitStatus.Failure(
            status: status,
            message: "\(name) refuses it (\(answer.status)): \(reason.joined(separator: ": ").prefix(500))".printable)
    }
}

/// What an archive is to be like; what is nil the server decides.
struct ArchiveStartOrder: Encodable, Hashable {
    struct Layout: Encodable, Hashable {
        var type: String
        var screenshareType: String?
    }

    var sessionId: String
    var name: String?
    var hasAudio: Bool
    var hasVideo: Bool
    var outputMode: String
    var streamMode: String
    var resolution: String?
    var layout: Layout?
    var maxBitrate: Int?
    var multiArchiveTag: String?
}

/// An archive as the server shows it.
struct ArchiveRecord: Codable, Hashable {
    var id: String
    var name: String?
    var sessionId: String
    var status: String
    /// Milliseconds since 1970.
    var createdAt: Int64
    var size: Int64
    /// Seconds.
    var duration: Int64
    var reason: String?
    var outputMode: String?
    var resolution: String?
    var multiArchiveTag: String?
    /// Lets whoever has it fetch the file, for a while.
    var url: String?

    var line: String {
        let words = ["\(id)", status, "\(duration) s", "\(size) bytes", name, reason]
        return words.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ").printable
    }
}

/// Some of the archives, and how many there are.
struct ArchiveRecordList: Codable, Hashable {
    var count: Int
    var items: [ArchiveRecord]
}
