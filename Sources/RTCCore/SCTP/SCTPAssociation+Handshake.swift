import RTCWire

/// Beginning an association, RFC 9260 section 5.
extension SCTPAssociation {
    /// Begins the handshake, unless the other side has already.
    package mutating func connect(now: Instant, into output: inout SCTPOutput) {
        guard closure == nil, case .closed = state else { return }
        state = .cookieWait(InitiatedHandshake(tag: freshTag(), initialTSN: random.next32()))
        sendInit(now, &output)
    }

    private mutating func freshTag() -> UInt32 { max(1, random.next32()) }

    private mutating func sendInit(_ now: Instant, _ output: inout SCTPOutput) {
        guard case .cookieWait(let handshake) = state else { return }
        let chunk = initChunk(tag: handshake.tag, initialTSN: handshake.initialTSN, cookie: nil)
        sendAlone(.initiate(chunk), tag: 0, &output)
        timers.start(.handshake, at: now + handshakeTimeout.current)
    }

    private func initChunk(tag: UInt32, initialTSN: UInt32, cookie: [UInt8]?) -> InitChunk {
        var parameters = [
            SCTPParameter(type: SCTPParameter.Kind.forwardTSNSupported, value: []),
            SCTPParameter(
                type: SCTPParameter.Kind.supportedExtensions,
                value: [SCTPChunk.Kind.reconfig, SCTPChunk.Kind.forwardTSN]),
        ]
        if let cookie { parameters.insert(SCTPParameter(type: SCTPParameter.Kind.stateCookie, value: cookie), at: 0) }
        return InitChunk(
            initiateTag: tag, receiverWindow: UInt32(clamping: configuration.receiveWindow),
            outboundStreams: configuration.maximumStreams, inboundStreams: configuration.maximumStreams,
            initialTSN: initialTSN, parameters: parameters)
    }

    // MARK: The other side begins

    /// Answers an INIT without keeping anything of it (sections 5.1, 5.2.1 and 5.2.2).
    mutating func handleInit(_ chunk: InitChunk, _ now: Instant, _ output: inout SCTPOutput) {
        let local: (tag: UInt32, tsn: UInt32)
        var tie: (local: UInt32, peer: UInt32) = (0, 0)
        switch state {
        case .shutdownAckSent:
            return sendShutdownAck(now, &output)
        case .cookieWait(let handshake):
            // Both sides began: what our own INIT said stays.
            local = (handshake.tag, handshake.initialTSN)
        case .cookieEchoed(let handshake, _):
            local = (handshake.tag, handshake.initialTSN)
            tie = (handshake.tag, transfer?.peerTag ?? 0)
        case .closed:
            local = (freshTag(), random.next32())
        case .established, .shutdownPending, .shutdownSent, .shutdownReceived:
            local = (freshTag(), random.next32())
            tie = (transfer?.localTag ?? 0, transfer?.peerTag ?? 0)
        }
        let cookie = SCTPCookie(answering: chunk, localTag: local.tag, localInitialTSN: local.tsn, tie: tie, now: now)
        let answer = initChunk(tag: local.tag, initialTSN: local.tsn, cookie: cookie.sealed(cookieKey))
        sendAlone(.initiateAck(answer), tag: chunk.initiateTag, &output)
    }

    /// Makes or keeps the association that a cookie of ours describes: the table of section 5.2.4. False where the packet
    /// is not to be looked at any further.
    mutating func handleCookieEcho(
        _ chunk: CookieEchoChunk, _ header: SCTPCommonHeader, _ now: Instant, _ output: inout SCTPOutput
    ) -> Bool {
        guard let cookie = SCTPCookie(opening: chunk.cookie, cookieKey), header.verificationTag == cookie.localTag
        else { return false }
        let isCurrent = cookie.localTag == localTag && cookie.peerTag == transfer?.peerTag
        let age = now - cookie.created
        if age > configuration.cookieLifetime, !isCurrent {
            let late = UInt32(clamping: (age - configuration.cookieLifetime).nanoseconds / 1000)
            sendAlone(
                .error(ErrorChunk(causes: [.staleCookie(microseconds: late)])), tag: cookie.peerTag, &output)
            return false
        }
        switch state {
        case .closed, .cookieWait:
            guard localTag == nil || localTag == cookie.localTag else { return false }
            establish(cookie, now, &output)
        case .cookieEchoed:
            // Either the cookie of both our INITs (case D), or the other side began again (case B).
            guard cookie.localTag == localTag else { return false }
            establish(cookie, now, &output)
        default:
            guard resume(cookie, isCurrent, now, &output) else { return false }
        }
        controls.insert(.cookieAck, at: 0)
        return true
    }

    /// A cookie that comes while an association stands; false where it is to be ignored.
    private mutating func resume(
        _ cookie: SCTPCookie, _ isCurrent: Bool, _ now: Instant, _ output: inout SCTPOutput
    ) -> Bool {
        // Case D: a repetition.
        if isCurrent { return true }
        if cookie.localTag == transfer?.localTag {
            // Case B: INITs crossed, and the other side's second one counts.
            transfer?.peerTag = cookie.peerTag
            return true
        }
        // Case A: the other side lost its state; the tie tags prove that it is the one that we knew.
        guard cookie.peerTag != transfer?.peerTag, cookie.localTieTag == transfer?.localTag,
            cookie.peerTieTag == transfer?.peerTag
        else { return false }
        if case .shutdownAckSent = state {
            sendShutdownAck(now, &output)
            report(SCTPErrorCause(code: SCTPErrorCause.Code.cookieWhileShuttingDown))
            return false
        }
        queue.removeAll()
        controls = []
        timers.stopAll()
        transfer = SCTPTransfer(cookie, configuration, now: now)
        state = .established
        startHeartbeat(now)
        output.events.append(.restarted)
        return true
    }

    private mutating func establish(_ cookie: SCTPCookie, _ now: Instant, _ output: inout SCTPOutput) {
        timers.stop(.handshake)
        transfer = SCTPTransfer(cookie, configuration, now: now)
        state = .established
        startHeartbeat(now)
        output.events.append(.established)
    }

    // MARK: We began

    mutating func handleInitAck(_ chunk: InitChunk, _ now: Instant, _ output: inout SCTPOutput) {
        guard case .cookieWait(var handshake) = state else { return }
        guard let cookie = chunk.stateCookie, !cookie.isEmpty, cookie.count <= configuration.maximumPacket - 16 else {
            return
        }
        let agreed = SCTPCookie(
            answering: chunk, localTag: handshake.tag, localInitialTSN: handshake.initialTSN, tie: (0, 0), now: now)
        transfer = SCTPTransfer(agreed, configuration, now: now)
        handshake.attempts = 1
        state = .cookieEchoed(handshake, cookie: cookie)
        handshakeTimeout = RetransmissionTimeout(configuration)
        sendCookieEcho(now, &output)
    }

    private mutating func sendCookieEcho(_ now: Instant, _ output: inout SCTPOutput) {
        guard case .cookieEchoed(_, let cookie) = state, let tag = transfer?.peerTag else { return }
        sendAlone(.cookieEcho(CookieEchoChunk(cookie: cookie)), tag: tag, &output)
        timers.start(.handshake, at: now + handshakeTimeout.current)
    }

    mutating func handleCookieAck(_ now: Instant, _ output: inout SCTPOutput) {
        guard case .cookieEchoed = state else { return }
        timers.stop(.handshake)
        state = .established
        startHeartbeat(now)
        output.events.append(.established)
    }

    /// A cookie that ran out on its way is asked for again (section 5.2.6).
    mutating func handleError(_ chunk: ErrorChunk, _ now: Instant, _ output: inout SCTPOutput) {
        guard case .cookieEchoed(let handshake, _) = state,
            chunk.causes.contains(where: { $0.code == SCTPErrorCause.Code.staleCookie })
        else { return }
        transfer = nil
        state = .cookieWait(handshake)
        sendInit(now, &output)
    }

    mutating func handshakeExpired(_ now: Instant, _ output: inout SCTPOutput) {
        handshakeTimeout.backOff()
        switch state {
        case .cookieWait(var handshake):
            guard mayTryAgain(handshake.attempts) else { return finish(.unreachable, &output) }
            handshake.attempts += 1
            state = .cookieWait(handshake)
            sendInit(now, &output)
        case .cookieEchoed(var handshake, let cookie):
            guard mayTryAgain(handshake.attempts) else { return finish(.unreachable, &output) }
            handshake.attempts += 1
            state = .cookieEchoed(handshake, cookie: cookie)
            sendCookieEcho(now, &output)
        default: break
        }
    }

    /// Whether something unanswered so often may be sent again.
    func mayTryAgain(_ attempts: Int) -> Bool { attempts <= configuration.maximumRetransmissions ?? .max }
}

extension PeerRandom {
    mutating func next32() -> UInt32 { UInt32(truncatingIfNeeded: next() >> 32) }
}
