import CallModel
import NIOCore

/// Delivers the call journal to its receivers: one signed JSON object an event, in order for each call.
struct JournalWebhooks: Sendable {
    let queues: [WebhookQueue]

    /// - Parameter eventLoop: gives each queue's loop.
    /// - Throws: `WebhookURLError`.
    init(_ configuration: CallServerConfiguration, eventLoop: () -> any EventLoop) throws(WebhookURLError) {
        guard let key = configuration.webhookKey, let secret = configuration.keys[key] else {
            queues = []
            return
        }
        var queues: [WebhookQueue] = []
        for text in configuration.webhooks.journal {
            let target = WebhookTarget(
                url: try WebhookURL(text), trust: configuration.webhooks.trust, contentType: "application/json",
                authorization: { RoomWebhooks.token(for: $0, key: key, secret: secret) })
            queues.append(
                WebhookQueue(
                    target, on: eventLoop(), policy: configuration.webhooks.policy, logger: configuration.logger)
            )
        }
        self.queues = queues
    }

    func write(_ event: JournalEvent) {
        let entry = Self.entry(for: event)
        for queue in queues { queue.enqueue(key: entry.key, id: entry.id, body: entry.body) }
    }

    /// What is delivered: events of one call one after the other, an event under its id.
    static func entry(for event: JournalEvent) -> WebhookEntry {
        WebhookEntry(key: event.callId, id: event.id, body: Array(JournalFile.line(event).utf8))
    }
}
