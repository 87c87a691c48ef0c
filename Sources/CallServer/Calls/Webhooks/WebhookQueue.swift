import Logging
import NIOCore
import RTCWire
import TransportSecurity

/// Where a queue's requests go, and as what.
struct WebhookTarget: Sendable {
    var url: WebhookURL
    /// Whose certificates are believed.
    var trust = TLSTrust.environment
    var contentType: String
    /// The `Authorization` field for a body; asked for each request, since what it says may grow old.
    var authorization: @Sendable ([UInt8]) -> String?
}

/// Delivers bodies to one URL by POST, whatever the bodies are.
///
/// - Bodies of one key arrive in the order in which they were enqueued; keys do not wait for one another.
/// - A body is sent until the receiver acknowledges it with a status of 2xx, with growing, jittered waits in between, so
///   that nothing is lost while a receiver is down, slow or failing. A receiver that acknowledges and whose answer is lost
///   sees the body again: receivers know it by its id. A refusal (3xx, 4xx but 408, 425 and 429) is final.
/// - It holds at most `policy.entries` bodies of together `policy.bytes`, and none longer than `policy.lifetime`. A body
///   beyond that is not taken, which is counted and logged as an error.
///
/// ```swift
/// let queue = WebhookQueue(target, on: eventLoop, logger: logger)
/// queue.enqueue(key: room, id: event.id, body: bytes)
/// let lost = try await queue.flush(within: .seconds(5)).get()
/// ```
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class WebhookQueue: @unchecked Sendable {
    private let target: WebhookTarget
    private let eventLoop: any EventLoop
    private let logger: Logger
    private var backlog: WebhookBacklog<SystemRandomNumberGenerator>
    private var timer: Scheduled<Void>?
    private var flushing: EventLoopPromise<Int>?
    private var undelivered = 0
    private var isClosed = false
    /// What is under way, by id.
    private var posts: [String: Task<Void, Never>] = [:]

    init(_ target: WebhookTarget, on eventLoop: any EventLoop, policy: WebhookPolicy = .init(), logger: Logger) {
        self.target = target
        self.eventLoop = eventLoop
        var logger = logger
        logger[metadataKey: "webhook"] = "\(target.url)"
        self.logger = logger
        backlog = WebhookBacklog(policy: policy, generator: SystemRandomNumberGenerator())
    }

    /// Takes a body to deliver. Call on any thread; calls of one thread keep their order.
    ///
    /// - Parameters:
    ///   - key: bodies of one key arrive in order.
    ///   - id: of this body alone; while it waits, the same id is not taken again.
    func enqueue(key: String, id: String, body: [UInt8]) {
        eventLoop.execute { [self] in add(WebhookEntry(key: key, id: id, body: body)) }
    }

    /// Delivers what waits, hurrying, and closes the queue: with nothing left, or at the deadline.
    ///
    /// The future gives how many bodies were not delivered.
    func flush(within limit: TimeAmount) -> EventLoopFuture<Int> {
        eventLoop.flatSubmit { [self] in
            if let flushing { return flushing.futureResult }
            let promise = eventLoop.makePromise(of: Int.self)
            flushing = promise
            let end = eventLoop.scheduleTask(in: limit) { [self] in finishFlush() }
            promise.futureResult.whenComplete { _ in end.cancel() }
            backlog.hurry(.milliseconds(250), now: now)
            pump()
            return promise.futureResult
        }
    }

    func statistics() -> EventLoopFuture<WebhookStatistics> { eventLoop.submit { [self] in backlog.statistics } }

    private var now: Instant { Instant(nanoseconds: Int64(clamping: eventLoop.now.uptimeNanoseconds)) }

    private func add(_ entry: WebhookEntry) {
        guard !isClosed else { return logger.error("webhook not taken, the queue is closed", metadata: about(entry)) }
        if case .full = backlog.add(entry, now: now) {
            logger.error("webhook not taken, too many wait for their receiver", metadata: about(entry))
        }
        pump()
    }

    /// Sends what is due, and wakes up when the next one is.
    private func pump() {
        timer?.cancel()
        timer = nil
        guard !isClosed else { return }
        while let entry = backlog.next(now: now) { send(entry) }
        if flushing != nil, backlog.isEmpty { return finishFlush() }
        guard let deadline = backlog.nextDeadline else { return }
        let wait = TimeAmount.nanoseconds(max(0, (deadline - now).nanoseconds))
        timer = eventLoop.scheduleTask(in: wait) { [weak self] in self?.pump() }
    }

    private func send(_ entry: WebhookEntry) {
        var headers = [(name: "Content-Type", value: target.contentType)]
        if let authorization = target.authorization(entry.body) {
            headers.append((name: "Authorization", value: authorization))
        }
        let post = HTTPPost(
            url: target.url, trust: target.trust, headers: headers, body: entry.body,
            timeout: backlog.policy.timeout.seconds)
        posts[entry.id] = Task { [self] in
            let outcome: WebhookOutcome
            do { outcome = WebhookOutcome(status: try await post.send()) } catch { outcome = .failed("\(error)") }
            eventLoop.execute { [self] in
                posts[entry.id] = nil
                finish(entry, outcome)
                settle()
            }
        }
    }

    private func finish(_ entry: WebhookEntry, _ outcome: WebhookOutcome) {
        let (attempts, delay) = backlog.finish(entry, outcome, now: now)
        var metadata = about(entry)
        metadata["attempt"] = "\(attempts)"
        switch outcome {
        case .acknowledged: logger.debug("webhook delivered", metadata: metadata)
        case .refused(let status):
            metadata["status"] = "\(status)"
            logger.warning("webhook refused by its receiver", metadata: metadata)
        case .failed(let reason):
            metadata["reason"] = "\(reason)"
            if let delay {
                metadata["again"] = "\(Int(delay.milliseconds)) ms"
                logger.log(level: attempts == 1 ? .notice : .debug, "webhook not delivered yet", metadata: metadata)
            } else {
                logger.error("webhook given up", metadata: metadata)
            }
        }
        pump()
    }

    private func finishFlush() {
        guard flushing != nil, !isClosed else { return }
        isClosed = true
        timer?.cancel()
        let left = backlog.statistics.waiting
        if left > 0 { logger.error("webhooks not delivered before the end", metadata: ["count": "\(left)"]) }
        undelivered = left
        for post in posts.values { post.cancel() }
        settle()
    }

    /// The loop may end when nothing is under way any more that comes back to it.
    private func settle() {
        if isClosed, posts.isEmpty { flushing?.succeed(undelivered) }
    }

    private func about(_ entry: WebhookEntry) -> Logger.Metadata { ["id": "\(entry.id)", "key": "\(entry.key)"] }
}
