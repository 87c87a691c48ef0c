import RTCWire

/// What a data channel is to be like (RFC 8831 section 6.4).
package struct DataChannelConfiguration: Hashable, Sendable {
    /// How hard the channel tries to deliver a message.
    package enum Reliability: Hashable, Sendable {
        /// Until it arrives.
        case reliable
        /// Each part of a message is sent again at most so often, 0...65,535.
        case maximumRetransmissions(UInt16)
        /// Nothing of a message is sent any more that long after it was handed in; in whole milliseconds on the wire.
        case maximumLifetime(Interval)
    }

    /// Most bytes that a label or a protocol name may have, in UTF-8.
    package static let maximumNameLength = 4096

    /// The channel's name, as its opener chose it; need not be unique.
    package var label: String
    /// The application protocol spoken on it; usually empty.
    package var protocolName: String
    /// Messages arrive in the order in which they were sent.
    package var isOrdered: Bool
    package var reliability: Reliability
    /// The stream that both sides agreed on elsewhere, 0...1023; nil announces the channel in-band (RFC 8832).
    package var negotiatedID: UInt16?

    package init(
        label: String, protocolName: String = "", isOrdered: Bool = true, reliability: Reliability = .reliable,
        negotiatedID: UInt16? = nil
    ) {
        self.label = label
        self.protocolName = protocolName
        self.isOrdered = isOrdered
        self.reliability = reliability
        self.negotiatedID = negotiatedID
    }
}

/// One data channel of one peer; never used again after the channel has closed.
public struct DataChannelID: Hashable, Sendable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }
}
