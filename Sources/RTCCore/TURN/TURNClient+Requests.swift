import RTCWire

// What the client asks of the server, RFC 8656 sections 7, 8, 10 and 12.

extension TURNClient {
    /// Largest request: header, user name, realm and nonce of their largest sizes, and the fixed attributes.
    private static let messageCapacity = 2176

    /// Begins a transaction.
    mutating func request(_ purpose: TURNTransaction.Purpose, _ now: Instant, _ outbox: DatagramOutbox) {
        guard !transactions.contains(where: { $0.purpose == purpose }) else { return }
        let timing = configuration.timing
        let transaction = TURNTransaction(
            random.transactionID(), purpose, isSigned: credentials != nil,
            wait: configuration.isReliable ? timing.lastWait : timing.initialRetransmission, now: now)
        transactions.append(transaction)
        statistics.requestsSent += 1
        write(transaction, outbox)
    }

    /// Writes a request, for the first time or again.
    func write(_ transaction: TURNTransaction, _ outbox: DatagramOutbox) {
        var builder = STUNMessageBuilder(
            .request, method(transaction.purpose), transaction.id, into: outbox.reserve(TURNClient.messageCapacity))
        switch transaction.purpose {
        case .allocate: builder.add(.requestedTransport, TURNClient.udp)
        case .refresh(let lifetime): builder.add(.lifetime, lifetime)
        case .permit(let address): builder.addXOR(.xorPeerAddress, address)
        case .bind(let index):
            builder.add(.channelNumber, UInt32(peers[index].number) << 16)
            builder.addXOR(.xorPeerAddress, peers[index].address)
        }
        if let credentials {
            builder.add(.username, configuration.username)
            builder.add(.realm, credentials.realm)
            builder.add(.nonce, credentials.nonce)
            let key = credentials.key
            builder.addIntegrity { key.authenticate($0, into: $1) }
        }
        let length = builder.finish()
        if length > 0 { outbox.commit(length, to: server, path: configuration.wire) }
    }

    private func method(_ purpose: TURNTransaction.Purpose) -> STUNMethod {
        switch purpose {
        case .allocate: .allocate
        case .refresh: .refresh
        case .permit: .createPermission
        case .bind: .channelBind
        }
    }

    /// REQUESTED-TRANSPORT: protocol 17 and three reserved bytes (RFC 8656 section 18.8).
    private static let udp: UInt32 = 17 << 24
}
