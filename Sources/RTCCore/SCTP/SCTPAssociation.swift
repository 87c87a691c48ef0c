import RTCWire

/// One SCTP association over DTLS (RFC 9260, RFC 8261), as a value without socket or clock.
///
/// The driver hands in packets and the time; what is to be sent and what has happened appears in the output that it
/// passes. Both sides may begin: their INITs may cross.
package struct SCTPAssociation: ~Copyable {
    /// RFC 9260 section 4.
    package enum State: Hashable, Sendable {
        case closed
        /// INIT has been sent.
        case cookieWait(InitiatedHandshake)
        /// COOKIE ECHO has been sent.
        case cookieEchoed(InitiatedHandshake, cookie: [UInt8])
        case established
        /// `shutDown` waits for data to be acknowledged.
        case shutdownPending
        case shutdownSent
        case shutdownReceived
        case shutdownAckSent
    }

    /// What we told the other side in INIT.
    package struct InitiatedHandshake: Hashable, Sendable {
        var tag: UInt32
        var initialTSN: UInt32
        /// INITs or COOKIE ECHOs sent so far.
        var attempts = 1
    }

    let configuration: SCTPConfiguration
    let remotePort: UInt16
    package internal(set) var state = State.closed
    /// Why the association has ended; nil while it has not.
    package internal(set) var closure: SCTPClosure?
    package internal(set) var statistics = SCTPStatistics()

    var transfer: SCTPTransfer?
    var queue = SendQueue()
    var timers = SCTPTimers()
    /// Before the round trip is known.
    var handshakeTimeout: RetransmissionTimeout
    /// Chunks that go out with the next packet, before data.
    var controls: [SCTPChunk] = []
    var random: PeerRandom
    let cookieKey: HMACSHA256
    private let lent = AddressOnly()

    package init(configuration: SCTPConfiguration, remotePort: UInt16) {
        self.configuration = configuration
        self.remotePort = remotePort
        random = PeerRandom(seed: configuration.seed)
        handshakeTimeout = RetransmissionTimeout(configuration)
        cookieKey = HMACSHA256(key: SecureRandom.bytes(32))
    }

    /// Data is accepted for sending and goes out.
    package var isEstablished: Bool { state == .established }

    /// When `advance` wants to be called next.
    package var nextDeadline: Instant? { closure == nil ? timers.next : nil }

    /// Smoothed round-trip time; nil until it is known.
    package var roundTripTime: Interval? { transfer?.timeout.smoothed }

    /// Streams that messages may be sent on: 0..<count; 0 before the association stands.
    package var outboundStreams: UInt16 { transfer?.outboundStreams ?? 0 }

    // MARK: Sending

    /// Bytes that wait to be sent on a stream.
    package func bufferedAmount(of stream: UInt16) -> Int { queue.bytes(of: stream) }

    /// Bytes that wait to be sent on all streams.
    package var bufferedAmount: Int { queue.bytes }

    /// Asks for `.bufferedAmountLow` when a stream's waiting bytes fall to this; 0 at first.
    package mutating func setLowThreshold(_ bytes: Int, of stream: UInt16) {
        queue.setLowThreshold(bytes, of: stream)
    }

    /// Takes a message to be sent. The caller has checked size and room; on a closed association it is dropped.
    mutating func send(_ message: OutgoingMessage, now: Instant, into output: inout SCTPOutput) {
        guard closure == nil, !message.payload.isEmpty else { return }
        queue.add(message)
        flush(now, &output)
    }

    // MARK: Receiving

    /// Takes a packet in. What is not an SCTP packet for us is counted and dropped.
    package mutating func receive(_ bytes: [UInt8], now: Instant, into output: inout SCTPOutput) {
        guard closure == nil else { return }
        statistics.packetsReceived += 1
        let packet: SCTPPacket
        do throws(WireError) {
            packet = try SCTPPacket(parsing: bytes.span.bytes)
        } catch {
            statistics.malformedPackets += 1
            return
        }
        guard isForUs(packet) else {
            statistics.foreignPackets += 1
            return
        }
        var hasData = false
        var reconfigurations = 0
        for chunk in packet.chunks {
            if case .data = chunk { hasData = true }
            // One request at a time (RFC 6525 section 5.1.1), beside an answer: more are a liar's.
            if case .reconfig = chunk {
                reconfigurations += 1
                if reconfigurations > 2 { continue }
            }
            guard handle(chunk, packet.header, now, &output), closure == nil else { break }
        }
        finishPacket(withData: hasData, now, &output)
    }

    /// The rules of section 8.5.
    private func isForUs(_ packet: SCTPPacket) -> Bool {
        let tag = packet.header.verificationTag
        switch packet.chunks.first {
        case .none: return false
        case .initiate: return tag == 0 && packet.chunks.count == 1
        case .abort(let chunk) where chunk.hasReflectedTag: return tag == transfer?.peerTag
        case .shutdownComplete(let chunk) where chunk.hasReflectedTag: return tag == transfer?.peerTag
        case .cookieEcho: return true
        default: return tag != 0 && tag == localTag
        }
    }

    /// What the other side must write into its packets; nil where it can't know.
    var localTag: UInt32? {
        switch state {
        case .cookieWait(let handshake), .cookieEchoed(let handshake, _): handshake.tag
        default: transfer?.localTag
        }
    }

    /// False where the rest of the packet is not to be looked at.
    private mutating func handle(
        _ chunk: SCTPChunk, _ header: SCTPCommonHeader, _ now: Instant, _ output: inout SCTPOutput
    ) -> Bool {
        switch chunk {
        case .initiate(let chunk): handleInit(chunk, now, &output)
        case .initiateAck(let chunk): handleInitAck(chunk, now, &output)
        case .cookieEcho(let chunk): return handleCookieEcho(chunk, header, now, &output)
        case .cookieAck: handleCookieAck(now, &output)
        case .data(let chunk): return handleData(chunk, now, &output)
        case .sack(let chunk): handleSack(chunk, now)
        case .forwardTSN(let chunk): handleForwardTSN(chunk, now, &output)
        case .heartbeat(let chunk): if transfer != nil { reply(.heartbeatAck(chunk)) }
        case .heartbeatAck(let chunk): handleHeartbeatAck(chunk, now)
        case .reconfig(let chunk): handleReconfig(chunk, now, &output)
        case .shutdown(let chunk): handleShutdown(chunk, now, &output)
        case .shutdownAck: handleShutdownAck(&output)
        case .shutdownComplete: handleShutdownComplete(&output)
        case .abort(let chunk):
            finish(.abortedByPeer(cause: chunk.causes.first?.code), &output)
            return false
        case .error(let chunk): handleError(chunk, now, &output)
        case .unknown(let chunk):
            if chunk.isReported, transfer != nil {
                report(SCTPErrorCause(code: SCTPErrorCause.Code.unrecognizedChunk, info: Array(chunk.value.prefix(64))))
            }
            return !chunk.stopsPacket
        }
        return true
    }

    /// Tells the other side of a fault of its own, once per packet.
    mutating func report(_ cause: SCTPErrorCause) {
        if case .error = controls.last { return }
        reply(.error(ErrorChunk(causes: [cause])))
    }

    /// Answers a chunk with the next packet. What can't be sent yet is bounded: the other side asks again.
    mutating func reply(_ chunk: SCTPChunk) {
        if controls.count < SCTPAssociation.maximumControls { controls.append(chunk) }
    }

    /// As many as a packet full of the smallest heartbeats asks for.
    static let maximumControls = 320

    // MARK: Time

    /// Does what is due at `now`.
    package mutating func advance(to now: Instant, into output: inout SCTPOutput) {
        guard closure == nil else { return }
        if timers.takeExpired(.handshake, now) { handshakeExpired(now, &output) }
        if timers.takeExpired(.shutdown, now) { shutdownExpired(now, &output) }
        if timers.takeExpired(.retransmission, now) { retransmissionExpired(now, &output) }
        if timers.takeExpired(.acknowledgement, now) { transfer?.tracker.askForAcknowledgement() }
        if timers.takeExpired(.heartbeat, now) { heartbeatExpired(now, &output) }
        if timers.takeExpired(.reset, now) { resetExpired(now, &output) }
        guard closure == nil else { return }
        flush(now, &output)
    }

    /// The layer below says that packets pass again: what waits for an answer is sent again at once, not when a timer that
    /// was doubled in the silence runs out.
    package mutating func pathRestored(now: Instant) {
        handshakeTimeout.restore()
        transfer?.timeout.restore()
        for name in [SCTPTimers.Name.handshake, .shutdown, .retransmission, .reset] where timers[name] != nil {
            timers.start(name, at: now)
        }
    }

    // MARK: End

    /// Ends the association at once; the other side is told.
    package mutating func abort(_ cause: SCTPErrorCause, closure: SCTPClosure = .aborted, into output: inout SCTPOutput)
    {
        guard self.closure == nil else { return }
        if let tag = transfer?.peerTag { sendAlone(.abort(AbortChunk(causes: [cause])), tag: tag, &output) }
        finish(closure, &output)
    }

    mutating func finish(_ closure: SCTPClosure, _ output: inout SCTPOutput) {
        guard self.closure == nil else { return }
        self.closure = closure
        state = .closed
        timers.stopAll()
        queue.removeAll()
        controls = []
        transfer = nil
        output.events.append(.closed(closure))
    }
}

/// What an association has counted.
package struct SCTPStatistics: Hashable, Sendable {
    package var packetsReceived = 0
    package var packetsSent = 0
    /// Broken, or with a wrong checksum.
    package var malformedPackets = 0
    /// With a verification tag that is not ours.
    package var foreignPackets = 0
    package var dataChunksSent = 0
    /// Of those, ones that had been sent before.
    package var dataChunksResent = 0
    package var dataChunksReceived = 0
    package var duplicatesReceived = 0
    /// Times that the retransmission timer ran out.
    package var timeouts = 0
    /// Times that missing data was found without it.
    package var fastRecoveries = 0
    package var forwardTSNsSent = 0
    package var heartbeatsSent = 0

    package init() {}
}
