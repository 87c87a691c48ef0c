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
    /// The probe cluster that it belonged to; 0 for none.
    var probe: UInt8 = 0
    /// The packet of a stream that it was, or that it repeated.
    var packet: SentPacketID?

    package init(sequence: Int64, sent: Instant, received: Instant?, size: Int, wasLost: Bool = false) {
        self.sequence = sequence
        self.sent = sent
        self.received = received
        self.size = size
        self.wasLost = wasLost
    }
}

/// The packets that we have sent with a transport sequence number and heard nothing of yet: a ring, which grows while
/// feedback on the packets in it may still come.
struct SentPackets {
    private struct Slot {
        /// The lower half; `fate` says whether there is one.
        var sequence: UInt32 = 0
        var size: UInt16 = 0
        var fate = Fate.unused
        var probe: UInt8 = 0
        var packet: SentPacketID?
        var sent: Instant = .zero

        func holds(_ sequence: Int64) -> Bool {
            fate != .unused && self.sequence == UInt32(truncatingIfNeeded: sequence)
        }
    }

    private enum Fate {
        case unused
        case unknown
        /// Reported as lost: it may come yet.
        case lost
        case received
    }

    /// As many as feedback that comes rarely speaks of at once, and those that leave meanwhile.
    private static let firstCapacity: Int64 = 64
    private static let largestCapacity: Int64 = 8192
    /// Feedback on a packet that was sent so long ago is not waited for, where it would cost memory. A queue of some seconds, and
    /// feedback that comes each few seconds behind it, are within it: whoever forgets sooner never learns that the path is full.
    private static let memory = Interval.seconds(10)
    /// The same for a packet that feedback has told as lost, and that may have been overtaken.
    private static let lateness = Interval.seconds(2)
    /// How much of a run of losses is believed of packets that feedback has passed already: it was overtaken.
    private static let overtakenLosses: Int64 = 64

    /// As many as a power of two, or none.
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

    /// Packets that there is memory for now.
    var heldPackets: Int { slots.count }

    private var capacity: Int64 { Int64(slots.count) }

    private func index(_ sequence: Int64) -> Int { Int(sequence & (capacity - 1)) }

    /// Notes that a packet with `nextNumber` was sent.
    mutating func add(size: Int, packet: SentPacketID? = nil, probe: UInt8 = 0, now: Instant) {
        if isFull(now) { grow() }
        let index = index(next)
        if next - capacity > acknowledged, slots[index].fate != .unused { bytesInFlight -= Int(slots[index].size) }
        let size = UInt16(clamping: size)
        slots[index] = Slot(
            sequence: UInt32(truncatingIfNeeded: next), size: size, fate: .unknown, probe: probe, packet: packet,
            sent: now)
        bytesInFlight += Int(size)
        next += 1
    }

    /// Whether the packet that would make place may still be heard of.
    private func isFull(_ now: Instant) -> Bool {
        guard next >= capacity else { return false }
        guard capacity > 0 else { return true }
        let oldest = slots[index(next)]
        let age = now - oldest.sent
        let isAwaited =
            switch oldest.fate {
            case .unused, .received: false
            case .unknown: age < SentPackets.memory
            case .lost: age < SentPackets.lateness
            }
        return isAwaited && capacity < SentPackets.largestCapacity
    }

    private mutating func grow() {
        let old = slots
        slots = Array(repeating: Slot(), count: max(Int(SentPackets.firstCapacity), 2 * old.count))
        for sequence in (next - Int64(old.count))..<next {
            slots[index(sequence)] = old[Int(sequence) & (old.count - 1)]
        }
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
        var sequence = max(run.lowerBound, passed - SentPackets.overtakenLosses, next - capacity)
        while sequence < end {
            settle(sequence, nil, into: &results)
            sequence += 1
        }
    }

    private mutating func settle(_ sequence: Int64, _ received: Instant?, into results: inout [PacketResult]) {
        steps += 1
        guard sequence >= 0, sequence < next else { return }
        let index = index(sequence)
        pass(to: sequence)
        guard next - sequence <= capacity, slots[index].holds(sequence) else { return }
        let wasLost = slots[index].fate == .lost
        switch (slots[index].fate, received) {
        case (.unused, _), (.received, _), (.lost, nil): return
        case (_, nil): slots[index].fate = .lost
        case (_, .some): slots[index].fate = .received
        }
        var result = PacketResult(
            sequence: sequence, sent: slots[index].sent, received: received, size: Int(slots[index].size),
            wasLost: wasLost)
        result.packet = slots[index].packet
        result.probe = slots[index].probe
        results.append(result)
    }

    /// Feedback has come as far as `sequence`: what was sent up to there is not in flight any more.
    private mutating func pass(to sequence: Int64) {
        // Of what lies further back than the ring remembers, nothing is counted.
        acknowledged = max(acknowledged, min(sequence, next - capacity) - 1)
        while acknowledged < sequence {
            steps += 1
            acknowledged += 1
            let passed = index(acknowledged)
            if slots[passed].holds(acknowledged) { bytesInFlight -= Int(slots[passed].size) }
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
