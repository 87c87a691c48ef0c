import ServiceDeskCore

/// What an application's server does with webhooks: listens for them and hands them on.
///
/// ```swift
/// let listener = try await DeskWebhookListener.listen(port: 8081, secret: secret)
/// for await webhook in listener.webhooks { notify(webhook.token.userID, webhook.comment.body) }
/// ```
public final class DeskWebhookListener: Sendable {
    /// Webhooks that may wait to be read; further ones are answered with 503, so that the service sends them again.
    public static let largest = 1_000
    /// As they come. A service that did not hear our answer sends one again: `comment.id` tells.
    public let webhooks: AsyncStream<DeskWebhook>
    private let continuation: AsyncStream<DeskWebhook>.Continuation
    private let listener: DeskListener

    private init(
        _ webhooks: AsyncStream<DeskWebhook>, _ continuation: AsyncStream<DeskWebhook>.Continuation,
        _ listener: DeskListener
    ) {
        self.webhooks = webhooks
        self.continuation = continuation
        self.listener = listener
    }

    /// Binds a port. Throws `portUnavailable` where it can't be had.
    ///
    /// - Parameters:
    ///   - port: 0 lets the system choose.
    ///   - secret: shared with the service, which signs with it; nil believes everybody.
    public static func listen(
        host: String = "127.0.0.1", port: Int = 0, secret: String? = nil
    ) async throws(DeskError) -> DeskWebhookListener {
        let (webhooks, continuation) = AsyncStream.makeStream(
            of: DeskWebhook.self, bufferingPolicy: .bufferingOldest(largest))
        let listener = try await DeskListener.listen(
            host: host, port: port,
            DeskListener.Service(
                bodyLimit: { method, _ throws(DeskRefusal) in
                    guard method == "POST" else { throw DeskRefusal(405, "ask by POST", allow: "POST") }
                    return DeskWebhook.largest
                },
                answer: { request in
                    do throws(DeskRefusal) {
                        let webhook = try DeskWebhook.read(request, secret: secret)
                        if case .enqueued = continuation.yield(webhook) { return DeskHTTPResponse(200) }
                        throw DeskRefusal(503, "too many webhooks wait to be read", retryAfter: 5)
                    } catch {
                        return DeskHTTPResponse(error)
                    }
                }))
        return DeskWebhookListener(webhooks, continuation, listener)
    }

    /// The bound TCP port.
    public var port: Int { listener.port }

    /// Stops listening and ends `webhooks`.
    public func close() async {
        await listener.close()
        continuation.finish()
    }
}
