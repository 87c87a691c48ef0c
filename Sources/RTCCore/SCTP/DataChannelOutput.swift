/// What a `DataChannelTransport` wants sent and has to say.
package struct DataChannelOutput {
    /// SCTP packets, each to be sent as one DTLS message.
    package var packets: [[UInt8]] = []
    package var events: [DataChannelEvent] = []
    /// Messages on streams without a channel, or of no known kind.
    package var strayMessages = 0

    package init() {}
}

/// What happened to a channel.
package enum DataChannelEvent: Hashable, Sendable {
    case opened(DataChannelID, DataChannelConfiguration)
    case message(DataChannelID, [UInt8], isText: Bool)
    case bufferedAmountLow(DataChannelID)
    case closed(DataChannelID)
}
