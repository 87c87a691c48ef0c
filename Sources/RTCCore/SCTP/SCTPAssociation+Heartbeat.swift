import RTCWire

/// Probing a silent path, RFC 9260 section 8.3.
extension SCTPAssociation {
    func heartbeatDelay(_ transfer: borrowing SCTPTransfer) -> Interval {
        configuration.heartbeatInterval + transfer.timeout.current
    }

    mutating func startHeartbeat(_ now: Instant) {
        guard let transfer else { return }
        timers.start(.heartbeat, at: now + heartbeatDelay(transfer))
    }

    mutating func heartbeatExpired(_ now: Instant, _ output: inout SCTPOutput) {
        if transfer?.heartbeat != nil {
            transfer?.heartbeat = nil
            transfer?.errors += 1
            guard mayTryAgain(transfer?.errors ?? 0) else {
                return abort(
                    SCTPErrorCause(code: SCTPErrorCause.Code.userAbort, text: "no heartbeat"), closure: .unreachable,
                    into: &output)
            }
        }
        probe(now)
    }

    /// Data on its way proves the path as well as a probe does.
    private mutating func probe(_ now: Instant) {
        defer { startHeartbeat(now) }
        guard state == .established, let transfer, transfer.outstanding.isEmpty,
            now - transfer.lastActivity >= configuration.heartbeatInterval
        else { return }
        let heartbeat = SCTPTransfer.Heartbeat(nonce: random.next32(), sentAt: now)
        self.transfer?.heartbeat = heartbeat
        statistics.heartbeatsSent += 1
        controls.append(.heartbeat(HeartbeatChunk(info: heartbeat.info)))
    }

    mutating func handleHeartbeatAck(_ chunk: HeartbeatChunk, _ now: Instant) {
        guard let heartbeat = transfer?.heartbeat, heartbeat.info == chunk.info else { return }
        transfer?.heartbeat = nil
        transfer?.errors = 0
        transfer?.lastActivity = now
        transfer?.timeout.measure(now - heartbeat.sentAt)
    }
}

extension SCTPTransfer.Heartbeat {
    /// What travels: the number alone, for the time is kept here.
    var info: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: nonce >> UInt32(24 - 8 * $0)) } }
}
