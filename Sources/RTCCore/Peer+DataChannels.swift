import RTCWire

/// Data channels: SCTP over this peer's DTLS (RFC 8831).
extension Peer {
    /// Says what the other side's description says of its SCTP; the association begins once DTLS stands.
    ///
    /// - Parameter maximumMessageSize: largest message it takes, in bytes; 0 for any.
    package mutating func setSCTP(remotePort: UInt16, maximumMessageSize: Int) {
        data.setRemote(port: remotePort, maximumMessageSize: maximumMessageSize)
    }

    /// Prepares a channel; `.dataChannelOpened` says when it can be used.
    package mutating func openDataChannel(
        _ configuration: DataChannelConfiguration, now: Instant, into outbox: Outbox
    ) throws(DataChannelError) -> DataChannelID {
        guard state != .closed else { throw .closed }
        return try data.open(configuration)
    }

    /// Hands one message in. It is sent as the network allows.
    package mutating func sendMessage(
        _ bytes: [UInt8], isText: Bool, on channel: DataChannelID, now: Instant, into outbox: Outbox
    ) throws(DataChannelError) {
        throw .notOpen
    }

    /// Closes a channel once what was handed in has been sent; `.dataChannelClosed` follows when the other side agrees.
    package mutating func closeDataChannel(_ channel: DataChannelID, now: Instant, into outbox: Outbox) {}

    /// Bytes of a channel that were handed in and have not left yet.
    package func bufferedAmount(of channel: DataChannelID) -> Int { 0 }
}
