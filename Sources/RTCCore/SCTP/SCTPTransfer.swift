import RTCWire

/// What exists while an association stands: the transmission control block of RFC 9260 section 14.2.
struct SCTPTransfer {
    /// What the other side writes into its packets, and what we write into ours.
    let localTag: UInt32
    var peerTag: UInt32
    let capabilities: SCTPCapabilities
    /// Streams that we may send on: 0..<outboundStreams.
    let outboundStreams: UInt16
    let inboundStreams: UInt16

    var tracker: ReceiveTracker
    var reassembly: Reassembly
    var outstanding: OutstandingData
    var congestion: CongestionWindow
    var timeout: RetransmissionTimeout
    var reset: StreamReset
    /// Bytes that the other side can take beyond what is in flight.
    var peerWindow: Int
    /// Sends in a row that stayed unanswered.
    var errors = 0
    /// One packet may go out whatever the window says (section 7.2.4, rule 3).
    var mayResendNow = false
    var isSkipDue = false
    var heartbeat: Heartbeat?
    /// When the other side last answered something.
    var lastActivity: Instant

    struct Heartbeat: Hashable {
        var nonce: UInt32
        var sentAt: Instant
    }

    init(_ cookie: SCTPCookie, _ configuration: SCTPConfiguration, now: Instant) {
        localTag = cookie.localTag
        peerTag = cookie.peerTag
        capabilities = cookie.capabilities
        outboundStreams = min(configuration.maximumStreams, cookie.peerInboundStreams)
        inboundStreams = configuration.maximumStreams
        tracker = ReceiveTracker(initialTSN: cookie.peerInitialTSN, configuration: configuration)
        reassembly = Reassembly(maximumMessageSize: configuration.maximumMessageSize)
        outstanding = OutstandingData(
            initialTSN: cookie.localInitialTSN, canAbandon: cookie.capabilities.contains(.forwardTSN))
        peerWindow = Int(cookie.peerWindow)
        congestion = CongestionWindow(mtu: configuration.maximumPacket, peerWindow: peerWindow)
        timeout = RetransmissionTimeout(configuration)
        reset = StreamReset(initialTSN: cookie.localInitialTSN, peerInitialTSN: cookie.peerInitialTSN)
        lastActivity = now
    }

    var canAbandon: Bool { capabilities.contains(.forwardTSN) }

    // MARK: Receiving

    enum Verdict: Hashable {
        case taken
        case invalidStream
        case messageTooLarge
        case ignored
    }

    /// Takes a DATA chunk in. What doesn't fit is dropped as the network would drop it, save the chunk that everything
    /// waits for: its bytes make others whole.
    mutating func receive(
        _ chunk: DataChunk, _ configuration: SCTPConfiguration, into messages: inout [Reassembly.Message]
    ) -> Verdict {
        let tsn = tracker.unwrap(chunk.tsn)
        switch tracker.judge(tsn) {
        case .duplicate:
            tracker.noteDuplicate(chunk.tsn)
            return .ignored
        case .refused:
            tracker.askForAcknowledgement()
            return .ignored
        case .new: break
        }
        let isNext = tsn == tracker.cumulative + 1
        let isFull =
            reassembly.bytes + chunk.payload.count > configuration.receiveWindow
            || reassembly.fragments >= configuration.maximumFragments
        if isFull, !isNext {
            tracker.askForAcknowledgement()
            return .ignored
        }
        // What is whole leaves at once: only a message without end can go beyond both limits together.
        if isFull,
            reassembly.bytes > configuration.receiveWindow + configuration.maximumMessageSize
                || reassembly.fragments >= 2 * configuration.maximumFragments
        {
            return .messageTooLarge
        }
        tracker.note(tsn, isImmediate: chunk.isImmediate)
        guard chunk.stream < inboundStreams else { return .invalidStream }
        switch reassembly.add(chunk, tsn: tsn, into: &messages) {
        case .taken: return .taken
        case .messageTooLarge: return .messageTooLarge
        }
    }

    mutating func receive(_ chunk: ForwardTSNChunk, into messages: inout [Reassembly.Message]) {
        let tsn = tracker.unwrap(chunk.newCumulativeTSN)
        tracker.askForAcknowledgement()
        guard tsn > tracker.cumulative else { return }
        tracker.skip(to: tsn)
        let known = chunk.skipped.filter { $0.stream < inboundStreams }
        reassembly.skip(to: tsn, known, into: &messages)
    }

    /// a_rwnd as it stands now.
    func window(_ configuration: SCTPConfiguration) -> UInt32 {
        UInt32(clamping: configuration.receiveWindow - reassembly.bytes)
    }

    // MARK: Acknowledgements

    /// Takes a SACK in; nil where it is an old or an impossible one.
    mutating func receive(_ sack: SackChunk, now: Instant) -> OutstandingData.Acknowledgement? {
        let before = outstanding.flight
        guard let result = outstanding.acknowledge(sack, now: now) else { return nil }
        peerWindow = max(0, Int(sack.receiverWindow) - outstanding.flight)
        // A closed window is no sign of death while it is answered (section 6.1, rule A).
        if result.hasNew || result.hasAdvanced || sack.receiverWindow < UInt32(congestion.mtu) {
            errors = 0
            lastActivity = now
        }
        if let trip = result.roundTrip { timeout.measure(trip) }
        congestion.acknowledged(
            bytes: result.bytes, flight: before, cumulative: outstanding.cumulative, hasAdvanced: result.hasAdvanced)
        if result.hasLoss {
            if !congestion.isInRecovery { mayResendNow = true }
            congestion.lost(highestTSN: outstanding.nextTSN - 1)
        }
        if outstanding.isEmpty { congestion.drained() }
        if outstanding.mustSkip { isSkipDue = true }
        return result
    }

    /// T3-rtx ran out (section 6.3.3).
    mutating func timedOut() {
        congestion.timedOut()
        timeout.backOff()
        outstanding.loseAll()
        if outstanding.mustSkip { isSkipDue = true }
        errors += 1
    }

    // MARK: Sending

    /// Gives up what may not be sent any more.
    mutating func abandonExhausted(_ queue: inout SendQueue, _ now: Instant, _ low: inout [UInt16]) {
        guard canAbandon, outstanding.lostCount > 0 else { return }
        let before = outstanding.lostCount
        if let open = outstanding.abandonExhausted(now),
            let rest = queue.discard(message: open.message, of: open.stream, low: &low)
        {
            outstanding.abandon(rest, now: now)
        }
        if outstanding.lostCount < before, outstanding.mustSkip { isSkipDue = true }
    }

    private mutating func abandon(_ rest: SendQueue.Rest, _ now: Instant) {
        outstanding.abandon(rest, now: now)
        if outstanding.mustSkip { isSkipDue = true }
    }

    /// Whether `nextData` has something, but for a message's running out of time.
    func hasData(_ queue: borrowing SendQueue) -> Bool {
        if outstanding.lostCount > 0 { return mayResendNow || outstanding.flight < congestion.window }
        return queue.nextLength != nil && outstanding.flight < congestion.window && outstanding.hasRoom
    }

    /// The next chunk that may go out now, of at most `room` payload bytes; what is lost goes first.
    mutating func nextData(
        room: Int, _ queue: inout SendQueue, _ now: Instant, _ low: inout [UInt16]
    ) -> DataChunk? {
        guard room > 0 else { return nil }
        if outstanding.lostCount > 0 {
            guard mayResendNow || outstanding.flight < congestion.window else { return nil }
            return outstanding.resend(room: room, now: now)
        }
        guard outstanding.flight < congestion.window, outstanding.hasRoom else { return nil }
        while let length = queue.nextLength {
            // A window too small for a fragment is waited for, but for one chunk that probes it (section 6.1, rule A).
            if outstanding.flight > 0, peerWindow < min(length, room) { return nil }
            switch queue.next(room: room, now: now, canAbandon: canAbandon, low: &low) {
            case .nothing: return nil
            case .expired(let rest): abandon(rest, now)
            case .fragment(let fragment):
                let chunk = outstanding.send(fragment, now: now)
                peerWindow = max(0, peerWindow - chunk.payload.count)
                return chunk
            }
        }
        return nil
    }
}
