/// Message types of the data channel establishment protocol, RFC 8832 section 8.2.1.
package enum DataChannelControl {
    package static let open: UInt8 = 3
    /// DATA_CHANNEL_ACK (section 5.2): this one byte.
    package static let acknowledgement: UInt8 = 2
}

/// What a message is, RFC 8831 section 8. SCTP knows no empty messages: those are one zero byte with a name of their own.
package enum DataChannelProtocolID {
    package static let control: UInt32 = 50
    package static let text: UInt32 = 51
    /// Deprecated: a part of a binary message.
    package static let binaryPartial: UInt32 = 52
    package static let binary: UInt32 = 53
    /// Deprecated: a part of a text message.
    package static let textPartial: UInt32 = 54
    package static let textEmpty: UInt32 = 56
    package static let binaryEmpty: UInt32 = 57
}
