/// Messages that wait for their acknowledgement, in the order in which they were sent.
struct RumorBacklog: Sendable {
    static let largestCount = 256
    static let largestSize = 1 << 20

    private(set) var frames: [RumorFrame] = []
    private var size = 0

    mutating func append(_ frame: RumorFrame) throws(RumorFault) {
        guard frames.count < Self.largestCount, size + Self.size(of: frame) <= Self.largestSize
        else { throw .backlogFull }
        size += Self.size(of: frame)
        frames.append(frame)
    }

    /// Takes a message out that has been acknowledged; false where none of that id waits.
    mutating func remove(_ transaction: String) -> Bool {
        guard let index = frames.firstIndex(where: { $0.transaction == transaction }) else { return false }
        size -= Self.size(of: frames.remove(at: index))
        return true
    }

    private static func size(of frame: RumorFrame) -> Int {
        frame.headers.reduce(frame.payload.count + 64) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
}

/// The answers to the latest messages of the other side, for one that comes again is answered again and not done again.
struct RumorAnswers: Sendable {
    enum Lookup: Hashable {
        case new
        /// It is being worked on.
        case pending
        case answered(RumorFrame)
    }

    /// Twice the messages that a sender may have waiting.
    static let largestCount = 2 * RumorBacklog.largestCount
    /// Bytes of results; older ones are forgotten, their statuses are not.
    static let largestSize = 1 << 20

    private var order: [String] = []
    private var oldest = 0
    private var answers: [String: RumorFrame?] = [:]
    private var size = 0

    /// Remembers a message where it is new.
    mutating func lookUp(_ transaction: String) -> Lookup {
        switch answers[transaction] {
        case .some(.some(let frame)): return .answered(frame)
        case .some(.none): return .pending
        case .none:
            answers[transaction] = .some(nil)
            if order.count < Self.largestCount {
                order.append(transaction)
            } else {
                if let forgotten = answers.removeValue(forKey: order[oldest]) { size -= forgotten?.payload.count ?? 0 }
                order[oldest] = transaction
                oldest = (oldest + 1) % order.count
            }
            return .new
        }
    }

    /// Keeps an answer to a message that is remembered.
    mutating func keep(_ answer: RumorFrame, to transaction: String) {
        guard let old = answers[transaction] else { return }
        size += answer.payload.count - (old?.payload.count ?? 0)
        answers[transaction] = .some(answer)
        for index in 0..<order.count where size > Self.largestSize {
            let name = order[(oldest + index) % order.count]
            guard var frame = answers[name] ?? nil else { continue }
            size -= frame.payload.count
            frame.payload = []
            answers[name] = .some(frame)
        }
    }
}
