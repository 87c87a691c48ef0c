import RTCWire

/// Data channels: SCTP over this peer's DTLS (RFC 8831).
extension Peer {
    /// Says what the other side's description says of its SCTP; the association begins once DTLS stands.
    ///
    /// - Parameter maximumMessageSize: largest message it takes, in bytes; 0 for any.
    package mutating func setSCTP(remotePort: UInt16, maximumMessageSize: Int) {
        data.setRemote(port: remotePort, maximumMessageSize: maximumMessageSize)
    }

    /// The largest message that the other side takes, in bytes.
    package var maximumMessageSize: Int { data.maximumMessageSize }

    /// Prepares a channel; `.dataChannelOpened` says when it can be used.
    package mutating func openDataChannel(
        _ configuration: DataChannelConfiguration, now: Instant, into outbox: Outbox
    ) throws(DataChannelError) -> DataChannelID {
        guard state != .closed else { throw .closed }
        var output = DataChannelOutput()
        let id = try data.open(configuration, now: now, into: &output)
        send(output, now, outbox)
        return id
    }

    /// Hands one message in. It is sent as the network and the other side allow.
    package mutating func sendMessage(
        _ bytes: [UInt8], isText: Bool, on channel: DataChannelID, now: Instant, into outbox: Outbox
    ) throws(DataChannelError) {
        var output = DataChannelOutput()
        try data.send(bytes, isText: isText, on: channel, now: now, into: &output)
        send(output, now, outbox)
    }

    /// Closes a channel once what was handed in has been sent; `.dataChannelClosed` follows when the other side agrees.
    package mutating func closeDataChannel(_ channel: DataChannelID, now: Instant, into outbox: Outbox) {
        var output = DataChannelOutput()
        data.close(channel, now: now, into: &output)
        send(output, now, outbox)
    }

    /// Bytes of a channel that were handed in and have not left yet.
    package func bufferedAmount(of channel: DataChannelID) -> Int { data.bufferedAmount(of: channel) }

    /// Asks for `.bufferedAmountLow` when a channel's buffered amount falls to `bytes`; 0 at first.
    package mutating func setBufferedAmountLowThreshold(_ bytes: Int, of channel: DataChannelID) {
        data.setLowThreshold(bytes, of: channel)
    }

    // MARK: Driving it

    /// Takes a message of DTLS in, where SCTP was negotiated.
    mutating func receiveData(_ message: [UInt8], _ now: Instant, _ outbox: Outbox) {
        startData(now, outbox)
        var output = DataChannelOutput()
        data.receive(message, now: now, into: &output)
        send(output, now, outbox)
    }

    /// Nil while nothing may be sent; at once where the association could begin.
    var dataDeadline: Instant? {
        guard mediaDestination != nil else { return nil }
        return data.isReady ? latest : data.nextDeadline
    }

    mutating func advanceData(_ now: Instant, _ outbox: Outbox) {
        startData(now, outbox)
        guard let deadline = data.nextDeadline, deadline <= now else { return }
        var output = DataChannelOutput()
        data.advance(to: now, into: &output)
        send(output, now, outbox)
    }

    private mutating func startData(_ now: Instant, _ outbox: Outbox) {
        guard data.isReady, mediaDestination != nil, let role = dtlsRole else { return }
        var output = DataChannelOutput()
        data.start(role: role, now: now, into: &output)
        send(output, now, outbox)
    }

    private var dtlsRole: DTLSRole? {
        switch dtls {
        case .some(let transport): transport.role
        case .none: nil
        }
    }

    /// Closes all channels; the other side is told where it can be.
    mutating func closeData(_ now: Instant, _ outbox: Outbox) {
        var output = DataChannelOutput()
        data.close(into: &output)
        send(output, now, outbox)
    }

    private mutating func send(_ output: DataChannelOutput, _ now: Instant, _ outbox: Outbox) {
        statistics.strayMessages += output.strayMessages
        for packet in output.packets {
            packet.withUnsafeBytes { bytes in
                if !sendApplicationData(bytes, now: now, into: outbox) { statistics.unsentPackets += 1 }
            }
        }
        for event in output.events {
            switch event {
            case .opened(let id, let configuration): outbox.events.append(.dataChannelOpened(id, configuration))
            case .message(let id, let bytes, let isText):
                outbox.events.append(.dataMessage(id, bytes, isText: isText))
            case .bufferedAmountLow(let id): outbox.events.append(.bufferedAmountLow(id))
            case .closed(let id): outbox.events.append(.dataChannelClosed(id))
            }
        }
    }

    /// An SCTP packet fits into one datagram of the path, whatever else the peer sends in larger ones.
    static func sctpConfiguration(_ configuration: PeerConfiguration) -> SCTPConfiguration {
        var sctp = SCTPConfiguration()
        sctp.maximumPacket = (min(configuration.maximumDatagram, 1200) - DTLSTransport.slack) & ~3
        sctp.seed = configuration.seed
        return sctp
    }
}
