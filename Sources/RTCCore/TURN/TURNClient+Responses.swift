import RTCWire

// What the server answers, RFC 8656 sections 7.4, 8.3, 10.3 and 12.3, RFC 8489 section 9.2.5.

extension TURNClient {
    /// Takes a datagram in, or one message of a stream, that came from `server`.
    package mutating func receive(_ bytes: UnsafeRawBufferPointer, now: Instant, into outbox: DatagramOutbox) -> Receipt
    {
        lease.heard()
        if let first = bytes.first, first >> 6 == 1 { return receiveChannelData(bytes) }
        guard let message = try? STUNMessage(parsing: bytes.bytes) else {
            statistics.malformed += 1
            return .handled
        }
        switch message.messageClass {
        case .indication: return receiveIndication(message, bytes)
        case .request: return .handled
        case .success, .error: break
        }
        guard let index = transactions.firstIndex(where: { $0.id == message.transactionID }) else {
            statistics.unmatchedResponses += 1
            return .handled
        }
        let before = state
        if message.messageClass == .success {
            receiveSuccess(message, bytes.bytes, index, now, outbox)
        } else {
            receiveError(message, bytes.bytes, index, now, outbox)
        }
        return state == before ? .handled : .changed
    }

    private func isAuthentic(_ message: STUNMessage, _ bytes: RawSpan) -> Bool {
        guard let key = credentials?.key else { return true }
        return message.hasValidIntegrity(in: bytes) { key.authenticate($0, into: $1) }
    }

    private mutating func receiveSuccess(
        _ message: STUNMessage, _ bytes: RawSpan, _ index: Int, _ now: Instant, _ outbox: DatagramOutbox
    ) {
        guard isAuthentic(message, bytes) else {
            statistics.integrityFailures += 1
            return
        }
        staleNonces = 0
        switch transactions.remove(at: index).purpose {
        case .allocate: allocated(message, bytes, now)
        case .refresh(let lifetime): if lifetime > 0 { renewed(message, bytes, now) }
        case .permit(let address): permitted(address, now, outbox)
        case .bind(let peer):
            peers[peer].channel = .bound(until: now + configuration.timing.channelRefresh)
        }
    }

    private mutating func allocated(_ message: STUNMessage, _ bytes: RawSpan, _ now: Instant) {
        guard let address = message.relayedAddress(in: bytes), let seen = message.mappedAddress,
            address.isUsableDestination
        else {
            statistics.malformed += 1
            return end(.failed(.protocolViolation))
        }
        relayed = address
        mapped = seen
        state = .allocated
        renewed(message, bytes, now)
    }

    private mutating func renewed(_ message: STUNMessage, _ bytes: RawSpan, _ now: Instant) {
        let seconds = min(max(message.lifetime(in: bytes) ?? 600, 10), 86_400)
        lease.lifetime = .seconds(Int(seconds))
        lease.refreshAt = now + max(lease.lifetime / 2, lease.lifetime - configuration.timing.refreshMargin)
    }

    private mutating func permitted(_ address: TransportAddress, _ now: Instant, _ outbox: DatagramOutbox) {
        for index in permissions.indices where permissions[index].address == address {
            permissions[index].state = .granted(until: now + configuration.timing.permissionRefresh)
        }
        for index in peers.indices where peers[index].address.withoutPort == address {
            let held = peers[index].held
            peers[index].held.removeAll()
            for datagram in held { datagram.withUnsafeBytes { indicate($0, to: index, outbox) } }
            bindChannel(index, now, outbox)
        }
    }

    // MARK: Errors

    private mutating func receiveError(
        _ message: STUNMessage, _ bytes: RawSpan, _ index: Int, _ now: Instant, _ outbox: DatagramOutbox
    ) {
        let transaction = transactions[index]
        guard let code = message.errorCode else {
            statistics.malformed += 1
            return
        }
        switch code {
        case 401 where !transaction.isSigned, 438:
            transactions.remove(at: index)
            challenged(message, bytes, transaction.purpose, isStale: code == 438, now, outbox)
        case 401, 441: end(.failed(.unauthorized))
        case 300 where transaction.purpose == .allocate:
            transactions.remove(at: index)
            redirected(message, bytes, now, outbox)
        default:
            transactions.remove(at: index)
            refused(transaction.purpose, code)
        }
    }

    /// The server wants credentials, or others of the moment.
    private mutating func challenged(
        _ message: STUNMessage, _ bytes: RawSpan, _ purpose: TURNTransaction.Purpose, isStale: Bool, _ now: Instant,
        _ outbox: DatagramOutbox
    ) {
        guard let nonce = message.text(.nonce, in: bytes),
            let realm = message.text(.realm, in: bytes) ?? credentials?.realm
        else {
            statistics.malformed += 1
            return end(.failed(.protocolViolation))
        }
        if isStale {
            statistics.staleNonces += 1
            staleNonces += 1
            guard staleNonces <= configuration.limits.staleNonces else { return end(.failed(.unauthorized)) }
        }
        if var known = credentials, known.realm == realm {
            known.nonce = nonce
            credentials = known
        } else {
            credentials = TURNCredentials(
                username: configuration.username, password: configuration.password, realm: realm, nonce: nonce)
            guard credentials != nil else { return end(.failed(.noMD5)) }
        }
        request(purpose, now, outbox)
    }

    /// Another server is to be asked; it has challenges of its own. Only on the way that leads to any address: a stream
    /// leads to one server.
    private mutating func redirected(_ message: STUNMessage, _ bytes: RawSpan, _ now: Instant, _ outbox: DatagramOutbox)
    {
        redirections += 1
        guard !configuration.isReliable, redirections <= 3, let other = message.alternateServer(in: bytes),
            other.isUsableDestination, other != server
        else { return end(.failed(.refused(code: 300))) }
        server = other
        credentials = nil
        request(.allocate, now, outbox)
    }

    private mutating func refused(_ purpose: TURNTransaction.Purpose, _ code: UInt16) {
        switch purpose {
        case .allocate: end(.failed(code == 486 || code == 508 ? .noCapacity(code: code) : .refused(code: code)))
        case .refresh: end(.failed(.lost))
        case .permit(let address): code == 437 ? end(.failed(.lost)) : refuse(address)
        case .bind(let index): if code == 437 { end(.failed(.lost)) } else { peers[index].channel = .refused }
        }
    }
}
