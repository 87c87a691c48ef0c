import RTCWire

/// Data and its acknowledgements, RFC 9260 section 6 and RFC 3758 section 3.
extension SCTPAssociation {
    /// States in which data may arrive (section 6, figure of section 4).
    private var takesData: Bool {
        switch state {
        case .established, .shutdownPending, .shutdownSent: true
        // The other side has our cookie and its answer was lost or is behind us.
        case .cookieEchoed: false
        case .closed, .cookieWait, .shutdownReceived, .shutdownAckSent: false
        }
    }

    mutating func handleData(_ chunk: DataChunk, _ now: Instant, _ output: inout SCTPOutput) -> Bool {
        guard takesData else { return false }
        statistics.dataChunksReceived += 1
        var messages: [Reassembly.Message] = []
        switch transfer?.receive(chunk, configuration, into: &messages) {
        case .invalidStream: report(.invalidStream(chunk.stream))
        case .ignored: statistics.duplicatesReceived += 1
        case .messageTooLarge:
            abort(
                SCTPErrorCause(code: SCTPErrorCause.Code.protocolViolation, text: "message too large"),
                closure: .protocolViolation, into: &output)
            return false
        case .taken, .none: break
        }
        deliver(messages, &output)
        resetArrived(&output)
        if state == .shutdownSent { transfer?.tracker.askForAcknowledgement() }
        return true
    }

    private func deliver(_ messages: [Reassembly.Message], _ output: inout SCTPOutput) {
        for message in messages {
            output.events.append(
                .message(stream: message.stream, protocolID: message.protocolID, message.payload))
        }
    }

    mutating func handleForwardTSN(_ chunk: ForwardTSNChunk, _ now: Instant, _ output: inout SCTPOutput) {
        guard takesData, transfer?.canAbandon == true else { return }
        var messages: [Reassembly.Message] = []
        transfer?.receive(chunk, into: &messages)
        deliver(messages, &output)
        resetArrived(&output)
    }

    mutating func handleSack(_ chunk: SackChunk, _ now: Instant) {
        guard transfer != nil else { return }
        if case .cookieEchoed = state { return }
        guard let result = transfer?.receive(chunk, now: now) else { return }
        if result.hasLoss { statistics.fastRecoveries += 1 }
        // The earliest chunk is another one, or is sent again now.
        if result.hasAdvanced || result.hasLoss { timers.stop(.retransmission) }
        startRetransmissionTimer(now)
    }

    /// The end of a received packet: acknowledgements are scheduled, and whatever may go out goes.
    mutating func finishPacket(withData: Bool, _ now: Instant, _ output: inout SCTPOutput) {
        guard closure == nil else { return }
        transfer?.tracker.packetEnded(withData: withData)
        flush(now, &output)
        guard let transfer, transfer.tracker.isAcknowledgementPending, timers[.acknowledgement] == nil else { return }
        let delay = min(configuration.acknowledgementDelay, transfer.timeout.current / 2)
        timers.start(.acknowledgement, at: now + delay)
    }

    /// T3-rtx runs while anything is outstanding (section 6.3.2).
    mutating func startRetransmissionTimer(_ now: Instant) {
        guard let transfer else { return }
        if transfer.outstanding.isEmpty {
            timers.stop(.retransmission)
        } else if timers[.retransmission] == nil {
            timers.start(.retransmission, at: now + transfer.timeout.current)
        }
    }

    mutating func retransmissionExpired(_ now: Instant, _ output: inout SCTPOutput) {
        guard let errors = transfer?.errors else { return }
        guard mayTryAgain(errors + 1) else {
            return abort(
                SCTPErrorCause(code: SCTPErrorCause.Code.userAbort, text: "no acknowledgement"),
                closure: .unreachable, into: &output)
        }
        statistics.timeouts += 1
        transfer?.timedOut()
        startRetransmissionTimer(now)
    }
}
