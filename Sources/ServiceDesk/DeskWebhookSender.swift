import Foundation
import ServiceDeskCore
import TransportSecurity
import WebClient

/// Delivers webhooks to one URL, in order, by `DeskWebhookBacklog`.
actor DeskWebhookSender {
    /// Seconds.
    private static let timeout = 10.0
    private let url: URLComponents
    private let secret: String?
    private let clock: any DeskClock
    private var backlog = DeskWebhookBacklog()
    private var timer: Task<Void, Never>?
    private var isStopped = false

    init(url: URLComponents, secret: String?, clock: any DeskClock) {
        self.url = url
        self.secret = secret
        self.clock = clock
    }

    var statistics: DeskWebhookBacklog.Statistics { backlog.statistics }

    func add(_ webhook: DeskWebhook) {
        backlog.add(webhook.bytes())
        pump()
    }

    func stop() {
        isStopped = true
        timer?.cancel()
    }

    private func pump() {
        timer?.cancel()
        timer = nil
        guard !isStopped else { return }
        if let body = backlog.next(now: clock.now) { Task { await send(body) } }
        guard let deadline = backlog.nextDeadline else { return }
        timer = Task { [weak self, clock] in
            guard (try? await clock.wait(until: deadline)) != nil else { return }
            await self?.pump()
        }
    }

    private func send(_ body: [UInt8]) async {
        var request = WebRequest(.post, url, trust: .environment)
        request.timeout = Self.timeout
        request.headers = [("Content-Type", "application/json")]
        if let secret {
            request.headers.append((DeskWebhook.signatureField, DeskWebhook.signature(of: body, secret: secret)))
        }
        request.body = body
        let answer = try? await WebClient.send(request, maximumBody: 64 * 1024)
        backlog.finish(answer.map { .status($0.status) } ?? .unreachable, now: clock.now)
        pump()
    }
}
