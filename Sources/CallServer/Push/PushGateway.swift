import ClientNotifications
import ConversationService
import Foundation
import Logging
import NIOCore
import RTCWire

/// Sends one notification to its carrier. Gives an answer, whatever happens.
protocol PushPost: Sendable {
    func send(_ request: PushRequest) async -> PushAnswer
    func close() async
}

/// What a gateway is made with.
struct PushGatewaySettings: Sendable {
    /// The application's identifier at APNs.
    var topic = ""
    var policy = WebhookPolicy()

    init() {
        policy.concurrency = 64
        policy.longestDelay = .seconds(60)
        policy.entriesPerKey = 100
    }
}

/// Delivers notifications: to each device in order, again and again until its carrier has taken them or they are of no use any
/// more, and no more to devices that are gone.
///
/// It holds at most `policy.entries` notifications; those beyond are dropped, which is counted and logged. Nothing of a
/// notification's content or of a token is logged.
// Everything that changes is touched on `eventLoop` only; other threads hold the reference and hop.
final class PushGateway: @unchecked Sendable {
    private struct Waiting {
        var order: PushOrder
        /// Sealed once: sent again it is the same to the device.
        var request: PushRequest
    }

    private let posts: [PushCarrier: any PushPost]
    private let settings: PushGatewaySettings
    private let eventLoop: any EventLoop
    private let now: @Sendable () -> Int64
    private let prune: @Sendable (PushTarget, Int64?) async -> Void
    private let logger: Logger
    private var backlog: WebhookBacklog<SystemRandomNumberGenerator>
    private var waiting: [String: Waiting] = [:]
    private var timer: Scheduled<Void>?
    private var pruned = 0
    private var flushing: EventLoopPromise<Int>?
    private var isClosed = false

    /// - Parameters:
    ///   - posts: the carriers that there are.
    ///   - now: milliseconds of Unix time.
    ///   - prune: forgets a token, that is gone since a time.
    init(
        _ posts: [PushCarrier: any PushPost], settings: PushGatewaySettings = .init(), on eventLoop: any EventLoop,
        now: @escaping @Sendable () -> Int64, prune: @escaping @Sendable (PushTarget, Int64?) async -> Void,
        logger: Logger
    ) {
        self.posts = posts
        self.settings = settings
        self.eventLoop = eventLoop
        self.now = now
        self.prune = prune
        self.logger = logger
        backlog = WebhookBacklog(policy: settings.policy, generator: SystemRandomNumberGenerator())
    }

    /// Takes notifications to deliver. Call on any thread; calls of one thread keep their order.
    func carry(_ orders: [PushOrder]) {
        eventLoop.execute { [self] in
            for order in orders { add(order) }
            pump()
        }
    }

    /// Delivers what waits, hurrying, and closes the connections; gives how many were not delivered.
    func flush(within limit: TimeAmount) -> EventLoopFuture<Int> {
        eventLoop.flatSubmit { [self] in
            if let flushing { return flushing.futureResult }
            let promise = eventLoop.makePromise(of: Int.self)
            flushing = promise
            let end = eventLoop.scheduleTask(in: limit) { [self] in finishFlush() }
            promise.futureResult.whenComplete { _ in end.cancel() }
            backlog.hurry(.milliseconds(250), now: instant)
            pump()
            return promise.futureResult
        }
    }

    /// What was counted, and how many tokens were forgotten.
    func statistics() -> EventLoopFuture<(backlog: WebhookStatistics, pruned: Int)> {
        eventLoop.submit { [self] in (backlog.statistics, pruned) }
    }

    private var instant: Instant { Instant(nanoseconds: Int64(clamping: eventLoop.now.uptimeNanoseconds)) }

    // MARK: The queue

    private func add(_ order: PushOrder) {
        let target = order.target
        guard !isClosed, posts[target.carrier] != nil else {
            return logger.debug("no gateway for a notification", metadata: ["carrier": "\(target.carrier.rawValue)"])
        }
        guard let request = request(order) else { return logger.error("a notification can't be sealed") }
        let key = target.carrier.rawValue + target.token
        let entry = WebhookEntry(key: key, id: order.content.id + " " + key, body: request.body)
        switch backlog.add(entry, now: instant) {
        case .accepted: waiting[entry.id] = Waiting(order: order, request: request)
        case .known: break
        case .full: logger.error("notification dropped, too many wait", metadata: about(order))
        }
    }

    private func request(_ order: PushOrder) -> PushRequest? {
        switch order.target.carrier {
        case .apns: .apns(order, topic: settings.topic, id: UUID().uuidString.lowercased())
        case .fcm: .fcm(order, now: now())
        }
    }

    private func pump() {
        timer?.cancel()
        timer = nil
        guard !isClosed else { return }
        while let entry = backlog.next(now: instant) { send(entry) }
        if flushing != nil, backlog.isEmpty { return finishFlush() }
        guard let deadline = backlog.nextDeadline else { return }
        let wait = TimeAmount.nanoseconds(max(0, (deadline - instant).nanoseconds))
        timer = eventLoop.scheduleTask(in: wait) { [weak self] in self?.pump() }
    }

    private func send(_ entry: WebhookEntry) {
        guard let known = waiting[entry.id], let post = posts[known.order.target.carrier] else {
            return finish(entry, .refused("it is not known"))
        }
        let (order, request) = (known.order, known.request)
        // A call that rings no longer is no news.
        guard order.content.expiresAt > now() else { return finish(entry, .refused("it is of no use any more")) }
        eventLoop.makeFutureWithTask { PushOutcome(await post.send(request), of: order.target.carrier) }
            .whenSuccess { [self] in finish(entry, $0) }
    }

    private func finish(_ entry: WebhookEntry, _ outcome: PushOutcome) {
        guard let order = waiting[entry.id]?.order else {
            backlog.finish(entry, .refused(status: 0), now: instant)
            return
        }
        var metadata = about(order)
        let result: (attempts: Int, delay: Interval?)
        switch outcome {
        case .delivered:
            result = backlog.finish(entry, .acknowledged, now: instant)
            logger.debug("notification delivered", metadata: metadata)
            if let fact = Self.fact(order) { logger.info("\(fact.rawValue)") }
        case .unregistered(let since):
            result = backlog.finish(entry, .refused(status: 410), now: instant)
            pruned += 1
            logger.info("push token gone", metadata: metadata)
            Task { [prune] in await prune(order.target, since) }
        case .refused(let reason):
            result = backlog.finish(entry, .refused(status: 400), now: instant)
            metadata["reason"] = "\(reason)"
            logger.warning("notification not delivered", metadata: metadata)
        case .later(let reason, let seconds):
            result = backlog.finish(entry, .failed(reason), atLeast: .seconds(Double(seconds)), now: instant)
            metadata["reason"] = "\(reason)"
            metadata["attempt"] = "\(result.attempts)"
            logger.log(
                level: result.attempts == 1 ? .notice : .debug, "notification not delivered yet", metadata: metadata)
        }
        if result.delay == nil { waiting[entry.id] = nil }
        if flushing != nil { return pump() }
        // Not from within: what is refused at once must not call itself for each that waits.
        eventLoop.execute { [self] in pump() }
    }

    private func finishFlush() {
        guard let flushing, !isClosed else { return }
        isClosed = true
        timer?.cancel()
        let left = backlog.statistics.waiting
        if left > 0 { logger.error("notifications not delivered before the end", metadata: ["count": "\(left)"]) }
        let closing = eventLoop.makeFutureWithTask { [posts] in for post in posts.values { await post.close() } }
        closing.whenComplete { _ in flushing.succeed(left) }
    }

    /// The facts about push that a log tells, by ids that stay.
    private static func fact(_ order: PushOrder) -> PushLogFact? {
        if order.content.kind == .missedCall { return .sentForMissedCall }
        return order.target.channel == .call ? .sentForCall : nil
    }

    private func about(_ order: PushOrder) -> Logger.Metadata {
        ["kind": "\(order.content.kind.rawValue)", "carrier": "\(order.target.carrier.rawValue)"]
    }
}
