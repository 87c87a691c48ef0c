import RTCWire

/// What an association is made from. The defaults are for WebRTC: the path's life is ICE's business, so nothing is
/// given up for want of answers.
package struct SCTPConfiguration: Sendable {
    /// The port in all our descriptions (RFC 8841 section 5).
    package static let localPort: UInt16 = 5000
    /// What a description without `a=max-message-size` means (RFC 8841 section 6.1).
    package static let defaultMaximumMessageSize = 65_536

    package init() {}
}
