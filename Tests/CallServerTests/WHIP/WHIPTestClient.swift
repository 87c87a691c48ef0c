import Foundation
import RTCCore
import RTCWire
import WHIPSignalling

@testable import CallServer

/// A client of WHIP or WHEP: requests by HTTP, and one media connection.
struct WHIPTestClient {
    let port: Int
    let token: String
    let media: MediaTestClient
    private(set) var location = ""
    private(set) var tag = ""
    private(set) var answer = ""

    static func make(_ server: CallServer, token: String, seed: UInt64) async throws -> WHIPTestClient {
        WHIPTestClient(port: server.port, token: token, media: try await MediaTestClient.make(seed: seed))
    }

    private init(port: Int, token: String, media: MediaTestClient) {
        self.port = port
        self.token = token
        self.media = media
    }

    /// Publishes on lines that were added, or watches with one line of each kind.
    mutating func begin(_ path: String, watches: Bool = false) async throws {
        let offer = try await media.offer(audioReceivers: watches ? 1 : 0, videoReceivers: watches ? 1 : 0)
        let response = try await request("POST", path, type: "application/sdp", body: offer)
        guard response.status == 201 else {
            throw LiveKitTestClient.Refused(status: response.status, body: response.body)
        }
        location = response.fields["location"] ?? ""
        tag = response.fields["etag"] ?? ""
        answer = response.body
        try await media.take(answer: answer)
        for candidate in try SDPSession(parsing: answer).media.flatMap(\.candidates) {
            try await media.add(candidate: candidate.encoded)
        }
        try await media.untilConnected()
    }

    @discardableResult
    func request(
        _ method: String, _ path: String, type: String? = nil, ifMatch: String? = nil, bearer: String? = nil,
        body: String = ""
    ) async throws -> HTTPTestClient.Response {
        let http = try await HTTPTestClient.connect(port)
        var head =
            "\(method) \(path) HTTP/1.1\r\nHost: h\r\nConnection: close\r\nContent-Length: \(body.utf8.count)\r\n"
        head += "Authorization: Bearer \(bearer ?? token)\r\n"
        if let type { head += "Content-Type: \(type)\r\n" }
        if let ifMatch { head += "If-Match: \(ifMatch)\r\n" }
        http.send(head + "\r\n" + body)
        let response = try await http.response()
        http.close()
        return response
    }

    func patch(_ fragment: String, tag: String) async throws -> HTTPTestClient.Response {
        try await request("PATCH", location, type: TrickleFragment.contentType, ifMatch: tag, body: fragment)
    }

    func leave() async throws -> Int {
        let status = try await request("DELETE", location).status
        try await media.close()
        return status
    }
}
