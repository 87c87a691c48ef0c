/// Webhooks that wait for their receiver: in order, one at a time, each until it is acknowledged, refused or given up. A value
/// that reads no clock.
package struct DeskWebhookBacklog: Sendable {
    /// What came of a request.
    package enum Outcome: Sendable, Hashable {
        case status(Int)
        case unreachable
    }

    /// Webhooks that wait; a further one is not taken.
    package static let largest = 1_000
    /// A webhook is sent so often.
    package static let attempts = 6
    private static let firstDelay: Int64 = 500
    private static let longestDelay: Int64 = 10_000

    package struct Statistics: Sendable, Hashable {
        package var delivered = 0
        package var repeated = 0
        package var lost = 0

        package init(delivered: Int = 0, repeated: Int = 0, lost: Int = 0) {
            self.delivered = delivered
            self.repeated = repeated
            self.lost = lost
        }
    }

    private var waiting: [[UInt8]] = []
    private var tried = 0
    private var notBefore: Int64 = 0
    private var isUnderWay = false
    package private(set) var statistics = Statistics()

    package init() {}

    package var count: Int { waiting.count }

    package mutating func add(_ body: [UInt8]) {
        guard waiting.count < Self.largest else { return statistics.lost += 1 }
        waiting.append(body)
    }

    /// The next body to send, from then on under way; nil where nothing is due.
    package mutating func next(now: Int64) -> [UInt8]? {
        guard !isUnderWay, now >= notBefore, let body = waiting.first else { return nil }
        isUnderWay = true
        tried += 1
        return body
    }

    /// When `next` may have something that it does not have now; milliseconds.
    package var nextDeadline: Int64? { isUnderWay || waiting.isEmpty ? nil : notBefore }

    package mutating func finish(_ outcome: Outcome, now: Int64) {
        guard isUnderWay else { return }
        isUnderWay = false
        switch outcome {
        case .status(200..<300):
            statistics.delivered += 1
            forget()
        case .status(408), .status(425), .status(429), .status(500...), .unreachable:
            guard tried < Self.attempts else { return giveUp() }
            statistics.repeated += 1
            notBefore = now + min(Self.firstDelay << Int64(tried - 1), Self.longestDelay)
        case .status: giveUp()
        }
    }

    private mutating func giveUp() {
        statistics.lost += 1
        forget()
    }

    private mutating func forget() {
        waiting.removeFirst()
        tried = 0
        notBefore = 0
    }
}
