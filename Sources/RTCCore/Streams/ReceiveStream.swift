import RTCWire

/// One incoming source: which packets came, which are missing, and what is reported about it.
struct ReceiveStream {
    /// What a packet turned out to be.
    enum Arrival: Equatable {
        /// To be handed on. `repaired` when we had asked for it.
        case fresh(sequence: Int64, repaired: Bool)
        case duplicate
    }

    let ssrc: UInt32
    var rtxSSRC: UInt32?
    var line: Int
    var mid: ShortToken?
    var rid: ShortToken?
    private(set) var codec: ReceiveMap.Codec
    private(set) var lastArrival: Instant
    /// The other side said BYE: the place may be given to another source.
    var hasEnded = false
    var statistics = StreamStatistics()
    var arrivals = ArrivalStatistics()
    var keyFrames = KeyFrameThrottle()
    var firSequence: UInt8 = 0
    /// A gap had no room in the list: only a key frame helps.
    var lostTooMuch = false
    private(set) var losses = LossList()
    private var unwrapper = SequenceUnwrapper()
    private var window = ReceiveWindow()
    private var reorder = ReorderDelay()
    private var lastReport: (middle: UInt32, arrival: Instant)?
    private var receivedSinceReport = false
    /// What is lost of it, 0...1, over some five reports; nil before the first.
    private var lossShare: Double?
    private var leastAnswer = Interval.zero

    init(ssrc: UInt32, line: Int, codec: ReceiveMap.Codec, now: Instant) {
        self.ssrc = ssrc
        self.line = line
        self.codec = codec
        lastArrival = now
    }

    /// Whether a first packet came; until then nothing is known to be missing.
    var hasStarted: Bool { window.newest != nil }

    /// No key frame can be asked for.
    var isSound: Bool { !codec.pli && !codec.fir }

    /// Whether a packet with this number is being waited for.
    func isMissing(_ sequenceNumber: UInt16) -> Bool { losses.contains(unwrapper.peek(sequenceNumber)) }

    /// Takes a packet in: an original, or what an RTX packet carried.
    mutating func receive(
        _ header: RTPHeader, payloadLength: Int, viaRTX: Bool, codec: ReceiveMap.Codec, arrival: Instant? = nil,
        now: Instant, limits: StreamLimits
    ) -> Arrival {
        let sequence = unwrapper.peek(header.sequenceNumber)
        switch window.insert(sequence) {
        case .duplicate:
            // The network has not lost an original that its repetition has overtaken.
            if !viaRTX { arrivals.countOvertaken() }
            statistics.duplicates += 1
            return .duplicate
        case .tooOld:
            statistics.duplicates += 1
            return .duplicate
        case .newest(let missing):
            _ = unwrapper.unwrap(header.sequenceNumber)
            if missing > 0 { noteGap(missing, before: sequence, now, limits) } else { reorder.decay() }
        case .late: break
        }
        self.codec = codec
        lastArrival = now
        receivedSinceReport = true
        statistics.packets += 1
        statistics.bytes += payloadLength
        let repaired = resolveLoss(sequence, viaRTX: viaRTX, now, limits)
        if !viaRTX, !repaired {
            arrivals.count(
                sequence: sequence, timestamp: header.timestamp, arrival: arrival ?? now, clockRate: codec.clockRate)
        }
        return .fresh(sequence: sequence, repaired: viaRTX || repaired)
    }

    private mutating func noteGap(_ missing: Int64, before sequence: Int64, _ now: Instant, _ limits: StreamLimits) {
        guard codec.nack else { return }
        let gap = (sequence - missing)..<sequence
        let wait = max(reorder.current, limits.minimumReorderDelay)
        let surplus = losses.add(gap, now: now, due: now + wait, limit: limits.maximumLosses)
        statistics.givenUp += surplus
        if surplus > 0 { lostTooMuch = true }
    }

    /// Takes the packet off the loss list; true where it came as a repetition.
    private mutating func resolveLoss(_ sequence: Int64, viaRTX: Bool, _ now: Instant, _ limits: StreamLimits) -> Bool {
        let loss = losses.count > 0 ? losses.remove(sequence) : nil
        if viaRTX || (rtxSSRC == nil && loss?.isAnswered(at: now, least: leastAnswer) ?? false) {
            statistics.recovered += 1
            return true
        }
        // An original in spite of RTX, or before any request can have been answered: it was overtaken.
        if let loss { reorder.observe(now - loss.missingSince, maximum: limits.maximumReorderDelay) }
        return false
    }

    /// Appends the sequence numbers to ask for now.
    ///
    /// - Parameters:
    ///   - isEchoed: a first request is said again.
    ///   - leastAnswer: no answer to them can come sooner.
    mutating func collectLosses(
        now: Instant, interval: Interval, isEchoed: Bool = false, leastAnswer: Interval = .zero, limits: StreamLimits,
        into requests: inout [UInt16]
    ) {
        self.leastAnswer = leastAnswer
        let givenUp = losses.collect(
            now: now, interval: interval, echoes: isEchoed ? limits.echoes(interval, loss: lossShare ?? 0) : 0,
            maximumRequests: limits.maximumNACKs, into: &requests)
        statistics.givenUp += givenUp
    }

    mutating func forgetLosses(before sequence: Int64) { losses.removeAll(before: sequence) }

    /// Asks for nothing any more that is missing now.
    mutating func giveUpLosses() {
        statistics.givenUp += losses.count
        losses.removeAll(before: .max)
    }

    mutating func note(_ report: SenderReport, arrival: Instant) {
        lastReport = (report.ntp.middleNTP, arrival)
        statistics.reportsReceived += 1
        statistics.remote = StreamStatistics.RemoteSender(
            packets: report.packetCount, octets: report.octetCount, ntp: report.ntp)
    }

    /// The report block about this source (RFC 3550 section 6.4.1), nil where nothing came since the last one.
    ///
    /// - Parameter patience: for how long a silent source is reported on all the same.
    mutating func takeReport(now: Instant, patience: Interval = .zero) -> ReportBlock? {
        guard receivedSinceReport || now - lastArrival < patience, !hasEnded else { return nil }
        receivedSinceReport = false
        let fraction = arrivals.takeFractionLost()
        let lost = Int32(clamping: max(-0x80_0000, min(0x7f_ffff, arrivals.cumulativeLost)))
        refreshStatistics(fraction)
        return ReportBlock(
            ssrc: ssrc, fractionLost: fraction, cumulativeLost: lost, highestSequenceNumber: arrivals.extendedHighest,
            jitter: arrivals.jitterTicks, lastSenderReport: lastReport?.middle ?? 0,
            delaySinceLastSenderReport: lastReport.map { (now - $0.arrival).dlsr } ?? 0)
    }

    private mutating func refreshStatistics(_ fraction: UInt8) {
        let lost = Double(fraction) / 256
        statistics.fractionLost = lost
        lossShare = lossShare.map { $0 + (lost - $0) * 0.2 } ?? lost
    }

    /// The counters with what is derived from them.
    var snapshot: StreamStatistics {
        var copy = statistics
        copy.lost = Int(arrivals.cumulativeLost)
        copy.jitter = arrivals.jitterSeconds(clockRate: codec.clockRate)
        return copy
    }
}
