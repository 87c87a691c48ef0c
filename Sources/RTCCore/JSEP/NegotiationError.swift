/// Which m-line an error is about.
package struct LineName: Hashable, Sendable, CustomStringConvertible {
    /// Counts from 0.
    package var index: Int
    package var mid: String

    package var description: String { mid.isEmpty ? "m-line \(index)" : "m-line \(index) (mid \"\(mid)\")" }
}

/// Why a description could not be made or taken. The negotiator is unchanged after any of them.
package enum NegotiationError: Error, Hashable, Sendable {
    /// An offer came while ours is unanswered (RFC 8829 section 4.1.8, "glare").
    case offerCollision
    /// An answer came, or was asked for, with no offer open for it.
    case noOffer
    /// `createOffer` while the other side's offer is unanswered.
    case remoteOfferOpen
    /// The other side renewed its ICE credentials, so our answer needs new ones: call `restartICE` first.
    case localRestartNeeded

    /// The number of m-lines shrank, or an answer has not as many as its offer.
    case lineCount(expected: Int, found: Int)
    /// A live m-line changed its kind or mid.
    case lineChanged(LineName, expected: String, found: String)
    case duplicateMid(LineName)
    /// A mid that is missing where BUNDLE needs it, or is no token.
    case invalidMid(LineName)
    /// An accepted line of an answer stands outside the BUNDLE group.
    case notBundled(LineName)
    /// An RTP line without `a=rtcp-mux`.
    case missingRTCPMux(LineName)
    /// An answer took a line but none of the codecs offered on it.
    case noCommonCodec(LineName)

    /// `a=ice-ufrag` or `a=ice-pwd` is missing or of a length that RFC 8839 section 5.4 forbids.
    case invalidICECredentials(LineName)
    /// No `a=fingerprint` of a hash function that we take (sha-256, sha-384, sha-512).
    case missingFingerprint(LineName)
    /// The certificate changed within one connection.
    case fingerprintChanged(LineName)
    /// `a=setup` is missing in an answer, or is not possible there.
    case invalidSetup(LineName, found: String)
    /// `a=setup` would exchange the DTLS roles of a running connection.
    case dtlsRoleChanged(LineName)

    /// More codecs or header extensions than there are numbers for.
    case numbersExhausted
    /// A stream id, track id or cname with a character that an SDP line can't hold there.
    case invalidIdentifier(String)
}

extension NegotiationError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .offerCollision: "an offer came while ours is unanswered; roll ours back or wait for its answer"
        case .noOffer: "an answer without an open offer"
        case .remoteOfferOpen: "the other side's offer must be answered before a new offer is made"
        case .localRestartNeeded: "the other side restarted ICE; give new local credentials before answering"
        case .lineCount(let expected, let found): "the description has \(found) m-lines where \(expected) are needed"
        case .lineChanged(let line, let expected, let found): "\(line) changed from \(expected) to \(found)"
        case .duplicateMid(let line): "\(line) has the mid of an earlier line"
        case .invalidMid(let line): "\(line) has no valid a=mid"
        case .notBundled(let line): "\(line) is not in the BUNDLE group; only one transport is supported"
        case .missingRTCPMux(let line): "\(line) has no a=rtcp-mux; RTCP on a port of its own is not supported"
        case .noCommonCodec(let line): "\(line) was accepted with none of the offered codecs"
        case .invalidICECredentials(let line): "\(line) has no valid a=ice-ufrag and a=ice-pwd"
        case .missingFingerprint(let line): "\(line) has no a=fingerprint with sha-256, sha-384 or sha-512"
        case .fingerprintChanged(let line): "\(line) names another certificate than the connection was made with"
        case .invalidSetup(let line, let found): "\(line) has a=setup:\(found), which is not possible here"
        case .dtlsRoleChanged(let line): "\(line) would exchange the DTLS roles of the running connection"
        case .numbersExhausted: "more codecs or header extensions than there are numbers for them"
        case .invalidIdentifier(let text): "\"\(text)\" can't stand in a session description as stream or track id"
        }
    }
}
