import Foundation
import NIOCore
import OpenTokSignalling

/// Tells an application's server what happens in sessions: those of one session in order, each until it is acknowledged.
final class OpenTokNotices: Sendable {
    let queues: [WebhookQueue]

    /// Nil where nobody is to be told. Throws `WebhookURLError`.
    ///
    /// - Parameter eventLoop: gives each queue's loop.
    init?(_ configuration: CallServerConfiguration, eventLoop: () -> any EventLoop) throws(WebhookURLError) {
        guard !configuration.webhooks.sessions.isEmpty, let key = configuration.webhookKey,
            let secret = configuration.keys[key]
        else { return nil }
        var queues: [WebhookQueue] = []
        for text in configuration.webhooks.sessions {
            let target = WebhookTarget(
                url: try WebhookURL(text), trust: configuration.webhooks.trust, contentType: "application/json",
                authorization: { "Bearer " + RoomWebhooks.token(for: $0, key: key, secret: secret) })
            queues.append(
                WebhookQueue(
                    target, on: eventLoop(), policy: configuration.webhooks.policy, logger: configuration.logger)
            )
        }
        self.queues = queues
    }

    func enqueue(_ notice: SessionNotice) { enqueue(notice.json, session: notice.session) }

    /// An archive has changed.
    func enqueue(_ archive: ArchiveInfo) { enqueue(archive.callback, session: archive.options.session.text) }

    private func enqueue(_ body: JSON, session: String) {
        let id = UUID().uuidString
        for queue in queues { queue.enqueue(key: session, id: id, body: body.bytes) }
    }
}
