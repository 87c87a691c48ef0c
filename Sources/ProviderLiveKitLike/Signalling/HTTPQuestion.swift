import Foundation
import NIOHTTP1
import WebClient

/// One small HTTP GET: how a refused upgrade is asked about.
enum HTTPQuestion {
    /// What the server said: the status, and at most 16 kilobytes of text.
    struct Answer: Sendable, Hashable {
        var status: Int
        var body: String
    }

    private static let longest = 16_384

    /// nil where no answer came in time. One that breaks off has said what it has said.
    static func get(_ target: SignalTarget, token: String, timeout: Double) async -> Answer? {
        guard let url = URLComponents(string: target.url) else { return nil }
        var request = WebRequest(.get, url, trust: target.trust)
        request.headers = target.headers(token: token).map { (name: $0.name, value: $0.value) }
        request.timeout = timeout
        guard let stream = try? await WebClient.open(request) else { return nil }
        var body: [UInt8] = []
        var pieces = stream.body.makeAsyncIterator()
        while body.count < longest, let piece = try? await pieces.next() { body += piece.prefix(longest - body.count) }
        stream.cancel()
        return Answer(status: stream.status, body: String(decoding: body, as: UTF8.self))
    }
}
