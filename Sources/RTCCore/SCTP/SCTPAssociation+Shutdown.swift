import RTCWire

/// Ending in order, RFC 9260 section 9.2.
extension SCTPAssociation {
    /// Ends the association once everything that waits has been delivered.
    package mutating func shutDown(now: Instant, into output: inout SCTPOutput) {
        switch state {
        case .established:
            state = .shutdownPending
            flush(now, &output)
        case .closed, .cookieWait, .cookieEchoed: finish(.shutdown, &output)
        default: break
        }
    }

    /// Goes on where everything has been sent and acknowledged.
    mutating func advanceShutdown(_ now: Instant, _ output: inout SCTPOutput) {
        guard queue.isEmpty, transfer?.outstanding.isEmpty == true else { return }
        if state == .shutdownPending {
            state = .shutdownSent
            sendShutdown(now, &output)
        } else if state == .shutdownReceived {
            sendShutdownAck(now, &output)
        }
    }

    private mutating func sendShutdown(_ now: Instant, _ output: inout SCTPOutput) {
        guard let transfer else { return }
        let chunk = ShutdownChunk(cumulativeTSN: transfer.tracker.cumulative.serial32)
        sendAlone(.shutdown(chunk), tag: transfer.peerTag, &output)
        timers.start(.shutdown, at: now + transfer.timeout.current)
    }

    mutating func sendShutdownAck(_ now: Instant, _ output: inout SCTPOutput) {
        guard let transfer else { return }
        state = .shutdownAckSent
        sendAlone(.shutdownAck, tag: transfer.peerTag, &output)
        timers.start(.shutdown, at: now + transfer.timeout.current)
    }

    mutating func shutdownExpired(_ now: Instant, _ output: inout SCTPOutput) {
        transfer?.errors += 1
        guard mayTryAgain(transfer?.errors ?? 0) else { return finish(.unreachable, &output) }
        transfer?.timeout.backOff()
        if state == .shutdownSent { sendShutdown(now, &output) }
        if state == .shutdownAckSent { sendShutdownAck(now, &output) }
    }

    mutating func handleShutdown(_ chunk: ShutdownChunk, _ now: Instant, _ output: inout SCTPOutput) {
        switch state {
        case .established, .shutdownPending, .shutdownReceived:
            state = .shutdownReceived
            // It acknowledges as a SACK does, and says nothing of the window.
            let window = UInt32(clamping: (transfer?.peerWindow ?? 0) + (transfer?.outstanding.flight ?? 0))
            handleSack(SackChunk(cumulativeTSN: chunk.cumulativeTSN, receiverWindow: window), now)
        case .shutdownSent: sendShutdownAck(now, &output)
        case .closed, .cookieWait, .cookieEchoed, .shutdownAckSent: break
        }
    }

    mutating func handleShutdownAck(_ output: inout SCTPOutput) {
        guard state == .shutdownSent || state == .shutdownAckSent, let tag = transfer?.peerTag else { return }
        sendAlone(.shutdownComplete(ShutdownCompleteChunk()), tag: tag, &output)
        finish(.shutdown, &output)
    }

    mutating func handleShutdownComplete(_ output: inout SCTPOutput) {
        guard state == .shutdownAckSent else { return }
        finish(.shutdown, &output)
    }
}
