import RTCWire

// Datagrams of peers through the relay: ChannelData (RFC 8656 section 12), Send and Data indications (section 11).

extension TURNClient {
    /// Frames the datagram at `index` of the outbox, which is for a peer, for the way through the relay. What can't go
    /// yet, or not at all, is taken out.
    package mutating func relay(_ index: Int, of outbox: DatagramOutbox, now: Instant) {
        let (length, destination) = (outbox.datagrams[index].length, outbox.datagrams[index].destination)
        guard state == .allocated, let peer = peerIndex(destination, now, outbox) else {
            statistics.dropped &+= 1
            return outbox.drop(index)
        }
        peers[peer].isUsed = true
        lease.sent(now: now)
        if case .bound = peers[peer].channel {
            statistics.sent.count(length)
            statistics.sentByChannel &+= 1
            outbox.frame(
                index, header: ChannelData.header(number: peers[peer].number, length: length),
                isPadded: configuration.isReliable, to: server, path: configuration.wire)
            return
        }
        sendUnbound(index, to: peer, now, outbox)
        outbox.drop(index)
    }

    private mutating func sendUnbound(_ index: Int, to peer: Int, _ now: Instant, _ outbox: DatagramOutbox) {
        let address = peers[peer].address.withoutPort
        guard let permission = permissions.firstIndex(where: { $0.address == address }) else {
            permissions.append(TURNPermission(address: address, state: .requested))
            hold(index, for: peer, outbox)
            return request(.permit(address), now, outbox)
        }
        switch permissions[permission].state {
        case .requested: hold(index, for: peer, outbox)
        case .refused: statistics.dropped &+= 1
        case .granted:
            let datagram = Array(outbox.bytes(of: outbox.datagrams[index]))
            datagram.withUnsafeBytes { indicate($0, to: peer, outbox) }
            bindChannel(peer, now, outbox)
        }
    }

    private mutating func hold(_ index: Int, for peer: Int, _ outbox: DatagramOutbox) {
        guard peers[peer].held.count < configuration.limits.heldDatagrams else {
            statistics.dropped &+= 1
            return
        }
        peers[peer].held.append(Array(outbox.bytes(of: outbox.datagrams[index])))
    }

    /// A peer's place; a new one where there is room.
    private mutating func peerIndex(_ address: TransportAddress, _ now: Instant, _ outbox: DatagramOutbox) -> Int? {
        for index in peers.indices where peers[index].address == address { return index }
        guard peers.count < configuration.limits.peers else { return nil }
        let number = ChannelData.numbers.lowerBound &+ UInt16(truncatingIfNeeded: peers.count)
        peers.append(TURNPeer(address: address, number: number))
        return peers.count - 1
    }

    mutating func bindChannel(_ index: Int, _ now: Instant, _ outbox: DatagramOutbox) {
        guard case .none = peers[index].channel else { return }
        peers[index].channel = .requested
        request(.bind(index), now, outbox)
    }

    /// Sends by indication: 36 bytes more over IPv4, and the server checks the permission each time.
    mutating func indicate(_ payload: UnsafeRawBufferPointer, to index: Int, _ outbox: DatagramOutbox) {
        var builder = STUNMessageBuilder(
            .indication, .send, random.transactionID(), into: outbox.reserve(payload.count + 64))
        builder.addXOR(.xorPeerAddress, peers[index].address)
        builder.add(.data, payload)
        let length = builder.finish()
        guard length > 0 else { return }
        statistics.sent.count(payload.count)
        outbox.commit(length, to: server, path: configuration.wire)
    }

    // MARK: Receiving

    mutating func receiveChannelData(_ bytes: UnsafeRawBufferPointer) -> Receipt {
        guard let message = try? ChannelData(parsing: bytes.bytes) else {
            statistics.malformed += 1
            return .handled
        }
        let index = Int(message.number &- ChannelData.numbers.lowerBound)
        guard index < peers.count else {
            statistics.unknownSenders += 1
            return .handled
        }
        statistics.received.count(message.payload.count)
        return .data(from: peers[index].address, message.payload)
    }

    mutating func receiveIndication(_ message: STUNMessage, _ bytes: UnsafeRawBufferPointer) -> Receipt {
        let span = bytes.bytes
        guard message.method == .data else { return .handled }
        guard let peer = message.peerAddress(in: span), let payload = message.range(of: .data, in: span) else {
            statistics.malformed += 1
            return .handled
        }
        // Servers check this too; an indication proves nothing by itself.
        let address = peer.withoutPort
        guard permissions.contains(where: { $0.address == address }) else {
            statistics.unknownSenders += 1
            return .handled
        }
        statistics.received.count(payload.count)
        return .data(from: peer, payload)
    }
}
