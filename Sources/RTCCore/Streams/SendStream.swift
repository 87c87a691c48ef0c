import RTCWire

/// One outgoing source: numbering, counters for reports, and the packets that may be asked for again.
struct SendStream {
    let configuration: SendStreamConfiguration
    /// Next sequence number; the first lies below 2^15, so that a lost beginning can't hide a roll-over (RFC 3711 section 3.3.1).
    var nextSequence: UInt16
    var nextRTXSequence: UInt16
    var statistics = StreamStatistics()
    /// Payload bytes of all packets, as a sender report counts them.
    private(set) var octets: UInt32 = 0
    private(set) var lastSent: Instant?
    private(set) var reports = SenderReportLog()
    private var lastFIR: UInt8?
    private var lastCaptureTime: Instant?
    /// An RTP timestamp and the moment it belongs to.
    private var clock: (timestamp: UInt32, captured: Instant)?
    private var cache: PacketCache?
    private var budget = RetransmissionBudget()

    init(_ configuration: SendStreamConfiguration, firstSequence: UInt16, firstRTXSequence: UInt16) {
        self.configuration = configuration
        nextSequence = firstSequence & 0x7fff
        nextRTXSequence = firstRTXSequence & 0x7fff
    }

    var ssrc: UInt32 { configuration.ssrc }
    var isExternal: Bool { configuration.cache == .external }
    /// Retransmissions use a stream of their own.
    var usesRTX: Bool { configuration.rtxSSRC != nil && configuration.rtxPayloadType != nil }

    /// The number for the next packet.
    mutating func takeSequence() -> UInt16 {
        defer { nextSequence &+= 1 }
        return nextSequence
    }

    mutating func takeRTXSequence() -> UInt16 {
        defer { nextRTXSequence &+= 1 }
        return nextRTXSequence
    }

    /// Counts a packet; `captured` is the moment its timestamp stands for.
    mutating func countSent(timestamp: UInt32, captured: Instant, payloadLength: Int, now: Instant) {
        statistics.packets += 1
        statistics.bytes += payloadLength
        octets &+= UInt32(truncatingIfNeeded: payloadLength)
        budget.note(sent: payloadLength, now: now)
        lastSent = now
        if clock?.timestamp != timestamp { clock = (timestamp, captured) }
    }

    /// Whether an abs-capture-time belongs on this packet: once a second says it all, for clocks are steady.
    mutating func takesCaptureTime(_ captured: Instant) -> Bool {
        if let last = lastCaptureTime, captured - last < .seconds(1), captured >= last { return false }
        lastCaptureTime = captured
        return true
    }

    /// Keeps a packet for repetition: plaintext where `usesRTX`, sealed otherwise.
    mutating func keep(_ packet: UnsafeRawBufferPointer, sequence: UInt16, slotSize: Int, now: Instant) {
        guard case .own(let packets) = configuration.cache, packets > 0 else { return }
        let cache = self.cache ?? PacketCache(packets: packets, slotSize: slotSize)
        self.cache = cache
        cache.store(packet, sequence: sequence, now: now)
    }

    /// Bytes that are held for repetitions.
    var keptBytes: Int { cache?.capacity ?? 0 }

    /// Nothing that was sent so far is repeated any more.
    mutating func forgetKept() { cache = nil }

    /// A packet has come to the other side: nobody asks for it any more.
    func release(_ sequence: UInt16) { cache?.release(sequence) }

    /// A kept packet that may be repeated now.
    mutating func kept(
        _ sequence: UInt16, now: Instant, age: Interval, spacing: Interval
    ) -> UnsafeRawBufferPointer? {
        guard let packet = cache?.take(sequence, now: now, age: age, spacing: spacing) else { return nil }
        guard budget.take(packet.count, now: now) else {
            statistics.retransmissionsRefused += 1
            return nil
        }
        return packet
    }

    /// The RTP timestamp that belongs to `instant`, nil before the first packet.
    func timestamp(at instant: Instant) -> UInt32? {
        guard let clock else { return nil }
        let elapsed = (instant - clock.captured).seconds * Double(configuration.clockRate)
        guard abs(elapsed) < 4e15 else { return nil }
        return clock.timestamp &+ UInt32(truncatingIfNeeded: Int64(elapsed.rounded()))
    }

    mutating func recordReport(ntp: UInt64, now: Instant) { reports.record(ntp: ntp, sent: now) }

    /// Takes in what the other side reports. Gives the round trip where the report names one of ours.
    mutating func noteReport(_ block: ReportBlock, now: Instant) -> Interval? {
        statistics.reportsReceived += 1
        statistics.lost = Int(block.cumulativeLost)
        statistics.fractionLost = Double(block.fractionLost) / 256
        statistics.jitter = Double(block.jitter) / Double(max(configuration.clockRate, 1))
        let trip = reports.roundTripTime(
            lastReport: block.lastSenderReport, delay: block.delaySinceLastSenderReport, arrival: now)
        if let trip {
            statistics.roundTripTime = trip
            statistics.totalRoundTripTime = statistics.totalRoundTripTime + trip
            statistics.roundTripTimes += 1
        }
        return trip
    }

    /// Whether a FIR is new: its repetitions carry the same number (RFC 5104 section 4.3.1.1).
    mutating func isNewFIR(_ sequence: UInt8) -> Bool {
        guard lastFIR != sequence else { return false }
        lastFIR = sequence
        return true
    }
}
