import RTCWire

/// What a receiver report says of one source (RFC 3550 sections 6.4.1, A.3 and A.8).
///
/// Counts packets as the network delivered them: what RTX brought back later is not counted in.
struct ArrivalStatistics {
    private var base: Int64 = 0
    private var highest: Int64 = 0
    private var received: Int64 = 0
    private var expectedBefore: Int64 = 0
    private var receivedBefore: Int64 = 0
    /// In RTP clock units.
    private var jitter = 0.0
    private var lastTransit: Int64?

    /// Extended highest sequence number received, as on the wire.
    var extendedHighest: UInt32 { UInt32(truncatingIfNeeded: highest) }
    var expected: Int64 { received == 0 ? 0 : highest - base + 1 }
    var cumulativeLost: Int64 { expected - received }

    /// Counts one packet. `timestamp` is the RTP timestamp, `arrival` the datagram's.
    mutating func count(sequence: Int64, timestamp: UInt32, arrival: Instant, clockRate: UInt32) {
        if received == 0 {
            base = sequence
            highest = sequence
        }
        base = min(base, sequence)
        highest = max(highest, sequence)
        received += 1
        let ticks = ArrivalStatistics.ticks(arrival, clockRate)
        let transit = ticks &- Int64(timestamp)
        defer { lastTransit = transit }
        guard let lastTransit else { return }
        // The difference is that of 32-bit clocks: timestamps wrap.
        let difference = abs(Double(Int32(truncatingIfNeeded: transit &- lastTransit)))
        jitter += (difference - jitter) / 16
    }

    /// Counts an original whose repetition had come before it: received, and of no use for the jitter.
    mutating func countOvertaken() { if received > 0 { received += 1 } }

    /// Interarrival jitter in RTP clock units, as a report carries it.
    var jitterTicks: UInt32 { UInt32(min(jitter, Double(UInt32.max))) }

    func jitterSeconds(clockRate: UInt32) -> Double { clockRate == 0 ? 0 : jitter / Double(clockRate) }

    /// Share of packets lost since the last call, in 1/256.
    mutating func takeFractionLost() -> UInt8 {
        let expectedNow = expected - expectedBefore
        let receivedNow = received - receivedBefore
        expectedBefore = expected
        receivedBefore = received
        guard expectedNow > 0, receivedNow < expectedNow else { return 0 }
        return UInt8(min(255, (expectedNow - receivedNow) * 256 / expectedNow))
    }

    private static func ticks(_ instant: Instant, _ clockRate: UInt32) -> Int64 {
        let rate = Int64(clockRate)
        let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        return seconds &* rate &+ rest &* rate / 1_000_000_000
    }
}
