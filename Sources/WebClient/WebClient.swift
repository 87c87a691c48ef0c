import AccessPolicy
import NIOHTTP1

/// A client of HTTP/1.1 by AsyncHTTPClient: a policy judges each hop before it is looked up, TLS where the URL asks for it.
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
            return WebAnswer(status: stream.status, body: try await stream.collect(atMost: maximumBody))
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
        do { return try await WebExchange(request: request, address: address, isStream: isStream).run() } catch {
            throw WebFailure(error)
        }
    }
}

/// An answer that is still coming.
package struct WebStream: Sendable {
    package let status: Int
    package let headers: HTTPHeaders
    /// Pieces as they come; ends with the answer, or throws `WebFailure`. Read once.
    package let body: AsyncThrowingStream<[UInt8], any Error>
    private let reader: Task<Void, Never>

    init(
        status: Int, headers: HTTPHeaders, body: AsyncThrowingStream<[UInt8], any Error>, reader: Task<Void, Never>
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.reader = reader
    }

    /// Of a redirection.
    var location: String? { headers.first(name: "location") }

    /// The whole body. Throws `.tooLarge` beyond `limit` bytes.
    package func collect(atMost limit: Int) async throws(WebFailure) -> [UInt8] {
        var bytes: [UInt8] = []
        do {
            for try await piece in body {
                guard bytes.count + piece.count <= limit else { throw WebFailure.tooLarge }
                bytes += piece
            }
        } catch {
            throw WebFailure(error)
        }
        return bytes
    }

    /// Drops what is still coming.
    package func cancel() { reader.cancel() }
}
