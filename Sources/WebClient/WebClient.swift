import AccessPolicy
import NIOCore
import NIOHTTP1

/// A small client of HTTP/1.1: one connection a request, TLS where the URL asks for it.
package enum WebClient {
    private static let maximumRedirections = 5

    /// Sends a request and returns the complete answer. Redirections of GET are followed.
    ///
    /// - Parameter maximumBody: bytes; a larger answer is a failure.
    package static func send(_ request: WebRequest, maximumBody: Int = 1024 * 1024) async throws(WebFailure)
        -> WebAnswer
    {
        var request = request
        for _ in 0...maximumRedirections {
            let stream = try await exchange(request, isStream: false)
            if (300..<400).contains(stream.status), let location = stream.location,
                let next = request.following(location)
            {
                stream.cancel()
                request = next
                continue
            }
            return try await collect(stream, maximumBody)
        }
        throw .tooManyRedirections
    }

    /// Sends a request whose answer is a stream, and returns when its head has come.
    package static func open(_ request: WebRequest) async throws(WebFailure) -> WebStream {
        try await exchange(request, isStream: true)
    }

    private static func exchange(_ request: WebRequest, isStream: Bool) async throws(WebFailure) -> WebStream {
        guard let address = try? WebAddress(request.url), let url = request.url.string else { throw .notAURL }
        // Every hop comes through here: what the policy refuses is not even looked up.
        do throws(URLRefusal) { try request.trust.check(url, dialing: address.authority) } catch {
            throw .refused(error)
        }
        do {
            let answer = try await WebDialer.connect(address, trust: request.trust, timeout: request.timeout) {
                channel in
                let promise = channel.eventLoop.makePromise(of: WebStream.self)
                let sync = channel.pipeline.syncOperations
                try sync.addHTTPClientHandlers()
                try sync.addHandler(
                    WebExchange(request, authority: address.authority, isStream: isStream, promise: promise))
                return promise.futureResult
            }
            return try await answer.get()
        } catch {
            throw WebFailure(error)
        }
    }

    private static func collect(_ stream: WebStream, _ maximumBody: Int) async throws(WebFailure) -> WebAnswer {
        var body: [UInt8] = []
        do {
            for try await bytes in stream.body {
                guard body.count + bytes.count <= maximumBody else { throw WebFailure.tooLarge }
                body += bytes
            }
        } catch {
            throw WebFailure(error)
        }
        return WebAnswer(status: stream.status, body: body)
    }
}

/// An answer that is still coming.
package struct WebStream: Sendable {
    package let status: Int
    /// Header fields, their names in small letters; of several of one name the last.
    package let fields: [String: String]
    /// Pieces as they come; ends with the answer, or throws `WebFailure`. Read once.
    package let body: AsyncThrowingStream<[UInt8], any Error>
    private let channel: any Channel

    init(status: Int, fields: [String: String], body: AsyncThrowingStream<[UInt8], any Error>, channel: any Channel) {
        self.status = status
        self.fields = fields
        self.body = body
        self.channel = channel
    }

    /// Of a redirection.
    var location: String? { fields["location"] }

    /// Drops the connection.
    package func cancel() { channel.close(promise: nil) }
}
