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

    package init(sequence: Int64, sent: Instant, received: Instant?, size: Int) {
        self.sequence = sequence
        self.sent = sent
        self.received = received
        self.size = size
    }
}

/// The packets that we have sent with a transport sequence number and heard nothing of yet: a fixed ring.
struct SentPackets {
    private struct Slot {
        var sequence: Int64 = -1
        var sent: Instant = .zero
        var size = 0
        /// Already reported as received.
        var isSettled = false
    }

    private static let capacity: Int64 = 8192

    private var slots: [Slot] = []
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

    /// The results that a feedback brings, ascending; packets that were settled before are left out.
    mutating func settle(_ feedback: TransportFeedback) -> [PacketResult] {
        guard next > 0 else { return [] }
        var results: [PacketResult] = []
        results.reserveCapacity(feedback.statuses.count)
        let distance = feedback.baseSequenceNumber.distance(after: UInt16(truncatingIfNeeded: next - 1))
        var sequence = next - 1 + Int64(distance)
        var time = unwrap(feedback.referenceTime) &* TransportFeedback.referenceTick
        for status in feedback.statuses {
            var received: Instant?
            if case .received(let delta) = status {
                time = time &+ Int64(delta) * TransportFeedback.deltaTick
                received = Instant(nanoseconds: time)
            }
            if let result = settle(sequence, received) { results.append(result) }
            sequence += 1
        }
        return results
    }

    private mutating func settle(_ sequence: Int64, _ received: Instant?) -> PacketResult? {
        guard sequence >= 0, sequence < next else { return nil }
        let index = Int(sequence & (SentPackets.capacity - 1))
        while acknowledged < sequence {
            acknowledged += 1
            let passed = Int(acknowledged & (SentPackets.capacity - 1))
            if slots[passed].sequence == acknowledged { bytesInFlight -= slots[passed].size }
        }
        guard slots[index].sequence == sequence, !slots[index].isSettled else { return nil }
        slots[index].isSettled = received != nil
        return PacketResult(sequence: sequence, sent: slots[index].sent, received: received, size: slots[index].size)
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
