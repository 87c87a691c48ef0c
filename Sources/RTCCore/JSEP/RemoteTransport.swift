import RTCWire

/// What the other side's description says of the one transport that all lines share.
package struct RemoteTransport: Hashable, Sendable {
    package var credentials: ICECredentials
    /// The certificate to expect; never changes within a connection.
    package var fingerprint: DTLSFingerprint
    /// Our part in the handshake.
    package var localRole: DTLSRole
    /// `a=ice-lite`: the other side only answers checks.
    package var isLite: Bool
    package var iceOptions: [String]
    /// Candidates of component 1 that stood in the description; more may be trickled.
    package var candidates: [ICECandidate]
    package var endOfCandidates: Bool
    /// Grows by one with each ICE restart of the other side (new ufrag or pwd).
    package var generation: Int

    package var ufrag: String { credentials.ufrag }
    package var pwd: String { credentials.pwd }
}
