import RTCWire

/// When the packets of a connection arrived, by their transport sequence number, until the other side has been told
/// (draft-holmer-rmcat-transport-wide-cc-extensions-01 section 3).
///
/// A ring that grows while more packets come than it holds between one feedback and the next, or in half a second: for so
/// long a packet that was overtaken can be told of.
struct ArrivalRecorder {
    /// Packets that are remembered at most; a larger jump of the numbers begins anew.
    static let capacity: Int64 = 2048
    private static let firstCapacity = 64
    static let shortestInterval = Interval.milliseconds(50)
    static let longestInterval = Interval.milliseconds(250)
    private static let memory = Interval.milliseconds(500)

    private struct Arrival {
        var sequence = Int64.min
        var nanoseconds: Int64 = 0
    }

    /// By the sequence number modulo their count, a power of two; one of another number says that nothing came.
    private var arrivals: [Arrival] = []
    private var unwrapper = SequenceUnwrapper()
    /// The first number that no feedback has spoken of, or that came after one had called it lost.
    private var next: Int64?
    private var newest: Int64 = 0
    private var lastFeedback: Instant?
    private var bytesSinceFeedback = 0
    private var packetsSinceFeedback = 0
    /// Feedback leaves with each so many packets; nil for one that leaves by time.
    private let packetsPerFeedback: Int?
    private var feedbackCount: UInt8 = 0
    private var interval = Interval.milliseconds(100)
    /// The source of the latest packet.
    private(set) var mediaSSRC: UInt32 = 0
    /// When feedback is due; `distantFuture` where there is nothing to tell.
    private(set) var deadline: Instant = .distantFuture

    init(_ timing: RTCPStyle.TransportFeedback = .timed) {
        switch timing {
        case .timed: packetsPerFeedback = nil
        case .counted(let packets): packetsPerFeedback = max(1, packets)
        }
    }

    /// Notes a packet of `size` bytes that came at `arrival`, or just now.
    mutating func record(_ number: UInt16, ssrc: UInt32, size: Int, arrival: Instant? = nil, now: Instant) {
        if arrivals.isEmpty {
            arrivals = Array(repeating: Arrival(), count: ArrivalRecorder.firstCapacity)
        }
        let sequence = unwrapper.unwrap(number)
        guard makeRoom(for: sequence, arrival ?? now), self.arrival(sequence) == nil else { return }
        arrivals[slot(sequence)] = Arrival(sequence: sequence, nanoseconds: (arrival ?? now).nanoseconds)
        mediaSSRC = ssrc
        bytesSinceFeedback += size
        packetsSinceFeedback += 1
        if let packetsPerFeedback {
            if packetsSinceFeedback >= packetsPerFeedback { deadline = min(deadline, now) }
        } else if deadline == .distantFuture {
            deadline = max(now, (lastFeedback ?? now) + interval)
        }
    }

    /// Makes the ring reach to `sequence`; false where that is too old to be told of.
    private mutating func makeRoom(for sequence: Int64, _ arrival: Instant) -> Bool {
        guard let first = next, sequence - newest < ArrivalRecorder.capacity else {
            next = sequence
            newest = sequence
            return true
        }
        guard sequence > newest - Int64(arrivals.count) else { return false }
        if sequence > newest {
            while arrivals.count < ArrivalRecorder.capacity,
                sequence - first >= arrivals.count || isRemembered(sequence - Int64(arrivals.count), at: arrival)
            {
                grow()
            }
            newest = sequence
            next = max(first, newest - ArrivalRecorder.capacity + 1)
        } else if sequence < first {
            next = sequence
        }
        return true
    }

    /// Whether a packet came, and is not to be forgotten yet.
    private func isRemembered(_ sequence: Int64, at now: Instant) -> Bool {
        arrival(sequence).map { now.nanoseconds - $0 < ArrivalRecorder.memory.nanoseconds } ?? false
    }

    private mutating func grow() {
        let old = arrivals
        arrivals = Array(repeating: Arrival(), count: 2 * old.count)
        for arrival in old where arrival.sequence != .min { arrivals[slot(arrival.sequence)] = arrival }
    }

    private func slot(_ sequence: Int64) -> Int { Int(sequence & Int64(arrivals.count - 1)) }

    /// When a packet came, in nanoseconds; nil where it did not.
    private func arrival(_ sequence: Int64) -> Int64? {
        let arrival = arrivals[slot(sequence)]
        return arrival.sequence == sequence ? arrival.nanoseconds : nil
    }

    /// What is to be told now: one feedback, or several where one would exceed `limit` bytes or what a delta can say.
    mutating func takeFeedback(senderSSRC: UInt32, limit: Int, now: Instant) -> [TransportFeedback] {
        guard deadline <= now else { return [] }
        deadline = .distantFuture
        adaptInterval(now)
        var result: [TransportFeedback] = []
        while let first = next, first <= newest {
            guard let feedback = makeFeedback(from: first, senderSSRC: senderSSRC, limit: limit) else {
                next = newest + 1
                break
            }
            next = first + feedback.runs.reduce(0) { $0 + Int64($1.count) }
            result.append(feedback)
        }
        return result
    }

    /// Feedback may take a twentieth of what comes in.
    private mutating func adaptInterval(_ now: Instant) {
        if let last = lastFeedback, now > last {
            let rate = Double(bytesSinceFeedback) / (now - last).seconds
            let wanted = Interval.seconds(min(ArrivalRecorder.feedbackSize / (0.05 * max(rate, 1)), 1))
            interval = min(max(wanted, ArrivalRecorder.shortestInterval), ArrivalRecorder.longestInterval)
        }
        lastFeedback = now
        bytesSinceFeedback = 0
        packetsSinceFeedback = 0
    }

    /// Bytes of an ordinary feedback, with all headers.
    private static let feedbackSize = 68.0

    private mutating func makeFeedback(from first: Int64, senderSSRC: UInt32, limit: Int) -> TransportFeedback? {
        guard let start = (first...newest).lazy.compactMap(arrival).first else { return nil }
        let reference = floorDivide(start, TransportFeedback.referenceTick)
        var told = reference &* TransportFeedback.referenceTick
        var statuses: [TransportFeedback.Status] = []
        statuses.reserveCapacity(Int(newest - first) + 1)
        // Two bytes of delta and, at worst, two for each seven symbols.
        let most = max(1, (limit - 24) * 7 / 16)
        var sequence = first
        while sequence <= newest, statuses.count < most {
            if let arrival = arrival(sequence) {
                let ticks = floorDivide(arrival - told + TransportFeedback.deltaTick / 2, TransportFeedback.deltaTick)
                guard let delta = Int16(exactly: ticks) else { break }
                told += ticks * TransportFeedback.deltaTick
                statuses.append(.received(delta: delta))
            } else {
                statuses.append(.lost)
            }
            sequence += 1
        }
        // A beginning of losses alone can be longer than a feedback: it still says something.
        guard !statuses.isEmpty else { return nil }
        defer { feedbackCount &+= 1 }
        return TransportFeedback(
            senderSSRC: senderSSRC, mediaSSRC: mediaSSRC, baseSequenceNumber: UInt16(truncatingIfNeeded: first),
            referenceTime: Int32(truncatingIfNeeded: (reference << 40) >> 40), feedbackCount: feedbackCount,
            statuses: statuses)
    }

    private func floorDivide(_ value: Int64, _ divisor: Int64) -> Int64 {
        let (quotient, rest) = value.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? quotient - 1 : quotient
    }
}
