import RTCWire

/// What a `Negotiator` is made from.
package struct NegotiatorConfiguration: Sendable {
    /// How our offers number payload types and header extensions. An answer always takes the offer's numbers.
    package enum Numbering: Hashable, Sendable {
        /// The numbers browsers use: payload types as the capabilities say, extensions from 1 on.
        case fixed
        /// Drawn from a seed, so that nothing works only because both sides use the same numbers; those of codecs that
        /// travel inside one another, Opus with redundancy, are the usual ones.
        case random(seed: UInt64)
    }

    /// Ours, until `restartICE`.
    package var credentials: ICECredentials
    /// Of our certificate.
    package var fingerprint: DTLSFingerprint
    /// In order of preference.
    package var codecs: [CodecCapability] = [.opus, .vp8]
    /// Offered and accepted on audio lines.
    package var audioExtensions: [RTPExtensionKind] = [.mid, .audioLevel, .absCaptureTime]
    /// Offered and accepted on video lines.
    package var videoExtensions: [RTPExtensionKind] = [.mid, .absCaptureTime]
    /// How senders learn what the network bears.
    package var congestionFeedback = CongestionFeedback.none
    package var numbering: Numbering = .fixed
    /// Canonical name of our streams (RFC 7022), where a `SendDescription` has none.
    package var cname = "-"
    /// Our part in the handshake when the offer leaves the choice.
    package var answerRole: DTLSRole = .client
    /// Whether an answer says `sendonly` on recvonly lines that nothing is sent on yet, as LiveKit's server does; else
    /// `inactive`.
    package var keepsIdleLinesOpen = false
    /// Whether answers take every layer of an offered simulcast; else a sender falls back to one stream.
    package var acceptsSimulcast = false
    /// Whether `m=application` is accepted.
    package var acceptsApplication = true
    /// `a=max-message-size` of our application lines, in bytes.
    package var maxMessageSize = 262_144
    /// `a=ice-lite` in our descriptions.
    package var iceLite = false
    /// The id in the `o=` line, at most 2^62 (RFC 8829 section 5.2.1).
    package var sessionID: UInt64

    package init(credentials: ICECredentials, fingerprint: DTLSFingerprint) {
        self.credentials = credentials
        self.fingerprint = fingerprint
        sessionID = .random(in: 1...(1 << 62))
    }

    package init(ufrag: String, pwd: String, fingerprint: DTLSFingerprint) {
        self.init(credentials: ICECredentials(ufrag: ufrag, pwd: pwd), fingerprint: fingerprint)
    }

    /// The header extensions of a line of that kind, on which the other side sends or only receives.
    func extensions(of kind: SDPMediaKind, remoteSends: Bool) -> [RTPExtensionKind] {
        switch kind {
        case .audio: audioExtensions
        case .video: videoExtensions + congestionFeedback.extensions(remoteSends: remoteSends)
        case .application, .other: []
        }
    }

    /// The header extensions that an answer takes on such a line.
    func answeredExtensions(of kind: SDPMediaKind, remoteSends: Bool) -> [RTPExtensionKind] {
        guard kind == .video else { return extensions(of: kind, remoteSends: remoteSends) }
        return videoExtensions + congestionFeedback.answeredExtensions(remoteSends: remoteSends)
    }

    /// What we know of a codec's feedback on such a line.
    func feedback(of capability: CodecCapability, remoteSends: Bool) -> CodecFeedback {
        guard capability.kind == .video else { return capability.feedback }
        return capability.feedback.union(congestionFeedback.feedback(remoteSends: remoteSends))
    }
}
