import RTCWire

// Sending checks: triggered, ordinary and retransmitted ones, RFC 8445 sections 6.1.4.2 and 14.

extension ICEAgent {
    /// Ordinary checks are made until a pair is chosen, and again when that one has fallen silent.
    var mayCheckOrdinarily: Bool { !hasChosen || isSeekingAlternative }

    /// Triggered checks leave at once, without pacing: each answers for one authenticated request.
    mutating func sendTriggeredChecks(into outbox: DatagramOutbox) {
        guard generation.remote != nil else { return }
        for index in checklist.indices where checklist[index].isTriggered {
            checklist[index].isTriggered = false
            if checklist[index].check == nil, !checklist[index].isValid { startCheck(index, into: outbox) }
        }
    }

    /// When connections may be opened.
    var tcpStartsAt: Instant { (generation.startedAt ?? now) + timing.tcpHeadStart }

    var mayCheckOverTCP: Bool { now >= tcpStartsAt || isSeekingAlternative }

    mutating func sendOrdinaryCheck(into outbox: DatagramOutbox) {
        guard generation.remote != nil, mayCheckOrdinarily, now >= nextOrdinaryCheckAt,
            let index = checklist.nextOrdinary(overTCP: mayCheckOverTCP)
        else { return }
        startCheck(index, into: outbox)
        nextOrdinaryCheckAt = now + timing.pacing
    }

    mutating func retransmitChecks(into outbox: DatagramOutbox) {
        for index in checklist.indices {
            guard let check = checklist[index].check, check.retransmitAt <= now else { continue }
            if check.firstSent + timing.connectTimeout <= now {
                checklist[index].state = .failed
                continue
            }
            if check.useCandidate, check.attempts >= ICEAgent.nominationAttempts, giveUpNomination(index) { continue }
            let (now, maximum) = (now, timing.maximumRetransmission)
            checklist[index].updateCheck { $0.retransmitted(now: now, maximum: maximum) }
            statistics.checksRetransmitted += 1
            sendRequest(
                check, from: checklist[index].local, to: checklist[index].remote.address, generation, into: outbox)
        }
    }

    /// Begins a check of a pair that isn't valid yet.
    private mutating func startCheck(_ index: Int, into outbox: DatagramOutbox) {
        let check = makeCheck(index, useCandidate: false)
        checklist[index].state = .inProgress(check)
        send(check, index, into: outbox)
    }

    /// Begins the check of a valid pair that nominates it (section 8.1.1).
    mutating func startNomination(_ index: Int, into outbox: DatagramOutbox) {
        guard var validity = checklist[index].validity else { return }
        let check = makeCheck(index, useCandidate: true)
        validity.nomination = check
        checklist[index].state = .succeeded(validity)
        send(check, index, into: outbox)
    }

    private mutating func send(_ check: ConnectivityCheck, _ index: Int, into outbox: DatagramOutbox) {
        statistics.checksSent += 1
        sendRequest(check, from: checklist[index].local, to: checklist[index].remote.address, generation, into: outbox)
    }

    private mutating func makeCheck(_ index: Int, useCandidate: Bool) -> ConnectivityCheck {
        var timeout = max(timing.initialRetransmission, timing.pacing * checklist.openCount)
        // A stream repeats what is lost; only with the stream itself a check is lost.
        if checklist[index].local.tcpType != nil { timeout = max(timeout, timing.maximumRetransmission) }
        return ConnectivityCheck(
            random.transactionID(), role: role, useCandidate: useCandidate, timeout: timeout, now: now)
    }

    /// Transmissions of a nominating check before another valid pair is preferred.
    private static let nominationAttempts = 4
}
