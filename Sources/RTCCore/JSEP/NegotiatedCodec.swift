import RTCWire

/// A codec of the other side's m-line: its `a=rtpmap` with the `a=fmtp` and `a=rtcp-fb` that belong to it.
package struct RemoteCodec: Hashable, Sendable {
    package var payloadType: UInt8
    package var name: String
    package var clockRate: Int
    package var channels: Int
    package var parameters: SDPFormatParameters
    package var feedback: CodecFeedback
    /// The payload type of the RTX stream that repeats this one.
    package var rtxPayloadType: UInt8?
}

/// A codec that both sides agreed on, in the order of preference of the answer.
package struct NegotiatedCodec: Hashable, Sendable {
    /// Index of the capability in the configuration.
    package var capability: Int
    /// As the capability names it.
    package var name: String
    /// RTP clock in Hz.
    package var clockRate: Int
    package var channels: Int
    /// Payload type of what we receive: the one in our own description.
    package var payloadType: UInt8
    /// Payload type of the retransmissions that we receive.
    package var rtxPayloadType: UInt8?
    /// Payload type of what we send: the one in the other side's description, nearly always equal.
    package var sendPayloadType: UInt8
    /// Payload type of the retransmissions that we send.
    package var sendRTXPayloadType: UInt8?
    /// What the other side asks us to send.
    package var remoteParameters: SDPFormatParameters
    /// What we ask the other side to send.
    package var localParameters: SDPFormatParameters
    /// What both sides use.
    package var feedback: CodecFeedback
    /// All that the other side listed, used by us or not.
    package var remoteFeedback: CodecFeedback
}
