/// Which side of the handshake we are: `a=setup:active` is the client (RFC 8842 section 5.3).
package enum DTLSRole: Hashable, Sendable {
    /// Sends the first ClientHello.
    case client
    /// Waits for it, and chooses cipher and SRTP profile.
    case server

    /// The peer's role.
    package var opposite: DTLSRole { self == .client ? .server : .client }
}
