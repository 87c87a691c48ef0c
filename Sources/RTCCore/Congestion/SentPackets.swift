import RTCWire

/// What became of one packet that we sent, as transport-wide feedback tells.
package struct PacketResult: Sendable, Hashable {
    /// Transport sequence number without wrap-around.
    package var sequence: Int64
    package var sent: Instant
    /// On the receiver's clock, whose origin is unknown: only differences mean something. Nil for a packet that is lost.
    package var received: Instant?
    /// Of the datagram, in bytes.
    package var size: Int
    /// It had been told as lost before, and has come after all.
    package var wasLost: Bool

    package init(sequence: Int64, sent: Instant, received: Instant?, size: Int, wasLost: Bool = false) {
        self.sequence = sequence
        self.sent = sent
        self.received = received
        self.size = size
        self.wasLost = wasLost
    }
}

/// The packets that we have sent with a transport sequence number and heard nothing of yet: a fixed ring.
struct SentPackets {
    private struct Slot {
        var sequence: Int64 = -1
        var sent: Instant = .zero
        var size = 0
        var fate = Fate.unknown
    }

    private enum Fate {
        case unknown
        /// Reported as lost: it may come yet.
        case lost
        case received
    }

    private static let capacity: Int64 = 8192
    /// How much of a run of losses is believed of packets that feedback has passed already: it was overtaken.
    private static let overtakenLosses: Int64 = 64

    private var slots: [Slot] = []
    /// Packets looked at, in all.
    private(set) var steps = 0
    private(set) var next: Int64 = 0
    /// The highest number that feedback has spoken of.
    private var acknowledged: Int64 = -1
    /// Bytes sent and neither acknowledged nor given up.
    private(set) var bytesInFlight = 0
    /// The receiver's reference time without wrap-around, in its units.
    private var reference: Int64?

    /// The number of the packet that is written next.
    var nextNumber: UInt16 { UInt16(truncatingIfNeeded: next) }

    /// Notes that a packet with `nextNumber` was sent.
    mutating func add(size: Int, now: Instant) {
        if slots.isEmpty { slots = Array(repeating: Slot(), count: Int(SentPackets.capacity)) }
        let index = Int(next & (SentPackets.capacity - 1))
        if slots[index].sequence > acknowledged { bytesInFlight -= slots[index].size }
        slots[index] = Slot(sequence: next, sent: now, size: size)
        bytesInFlight += size
        next += 1
    }

    /// The results that a feedback brings, ascending; what was told before is left out.
    ///
    /// The work is that of the runs, and of packets that no feedback has spoken of before.
    mutating func settle(_ feedback: TransportFeedback) -> [PacketResult] {
        guard next > 0 else { return [] }
        var results: [PacketResult] = []
        let distance = feedback.baseSequenceNumber.distance(after: UInt16(truncatingIfNeeded: next - 1))
        var sequence = next - 1 + Int64(distance)
        var time = unwrap(feedback.referenceTime) &* TransportFeedback.referenceTick
        for run in feedback.runs {
            switch run {
            case .lost(let count): settleLost(sequence..<(sequence + Int64(count)), into: &results)
            case .received(let delta):
                time = time &+ Int64(delta) * TransportFeedback.deltaTick
                settle(sequence, Instant(nanoseconds: time), into: &results)
            }
            sequence += Int64(run.count)
        }
        return results
    }

    private mutating func settleLost(_ run: Range<Int64>, into results: inout [PacketResult]) {
        let end = min(run.upperBound, next)
        let passed = min(end, acknowledged + 1)
        var sequence = max(run.lowerBound, passed - SentPackets.overtakenLosses, next - SentPackets.capacity)
        while sequence < end {
            settle(sequence, nil, into: &results)
            sequence += 1
        }
    }

    private mutating func settle(_ sequence: Int64, _ received: Instant?, into results: inout [PacketResult]) {
        steps += 1
        guard sequence >= 0, sequence < next else { return }
        let index = Int(sequence & (SentPackets.capacity - 1))
        pass(to: sequence)
        guard slots[index].sequence == sequence else { return }
        let wasLost = slots[index].fate == .lost
        switch (slots[index].fate, received) {
        case (.received, _), (.lost, nil): return
        case (_, nil): slots[index].fate = .lost
        case (_, .some): slots[index].fate = .received
        }
        results.append(
            PacketResult(
                sequence: sequence, sent: slots[index].sent, received: received, size: slots[index].size,
                wasLost: wasLost))
    }

    /// Feedback has come as far as `sequence`: what was sent up to there is not in flight any more.
    private mutating func pass(to sequence: Int64) {
        // Of what lies further back than the ring remembers, nothing is counted.
        acknowledged = max(acknowledged, min(sequence, next - SentPackets.capacity) - 1)
        while acknowledged < sequence {
            steps += 1
            acknowledged += 1
            let passed = Int(acknowledged & (SentPackets.capacity - 1))
            if slots[passed].sequence == acknowledged { bytesInFlight -= slots[passed].size }
        }
    }

    /// Unwraps 24 bits; a reference may lie before the last one, where feedback was overtaken.
    private mutating func unwrap(_ value: Int32) -> Int64 {
        guard let last = reference else {
            reference = Int64(value)
            return Int64(value)
        }
        let step = Int64((Int32(truncatingIfNeeded: Int64(value) - last) << 8) >> 8)
        reference = last + step
        return last + step
    }
}
