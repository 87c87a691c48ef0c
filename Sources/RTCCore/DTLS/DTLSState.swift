/// Where a `DTLSTransport` stands.
package enum DTLSState: Hashable, Sendable {
    /// Made, not started.
    case new
    /// The handshake is under way.
    case handshaking
    /// The handshake is done, but nobody has yet said which fingerprint the peer must have.
    case awaitingFingerprint
    /// The peer is who SDP says; keys stand.
    case connected
    /// Either side has said close_notify.
    case closed
    /// For good.
    case failed(DTLSFailure)
}

/// Why a DTLS association failed. Final for the object.
package enum DTLSFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The peer's certificate is not the one that `a=fingerprint` promised.
    case fingerprintMismatch
    /// The peer offers or takes none of our SRTP profiles.
    case noCommonSRTPProfile
    /// No end of the handshake in time, or a flight stayed unanswered too often.
    case timedOut
    /// The peer sent a fatal alert (RFC 5246 section 7.2), by number.
    case alert(UInt8)
    /// What the peer sent breaks the protocol or is not acceptable; libssl's words.
    case protocolViolation(String)

    package var description: String {
        switch self {
        case .fingerprintMismatch: "the peer's certificate does not match the fingerprint in its SDP"
        case .noCommonSRTPProfile: "no SRTP profile in common with the peer"
        case .timedOut: "the peer did not finish the DTLS handshake in time"
        case .alert(let number): "the peer sent DTLS alert \(number)"
        case .protocolViolation(let words): "DTLS handshake refused: \(words)"
        }
    }
}

/// What came of a call into a `DTLSTransport`.
package enum DTLSAction: Hashable, Sendable {
    /// Nothing that the owner must know.
    case none
    /// The handshake is done and the fingerprint holds: `srtpKeys` stand. Reported once.
    case connected
    /// The peer said close_notify. Reported once.
    case closed
    /// The association failed. Reported once.
    case failed(DTLSFailure)
}
