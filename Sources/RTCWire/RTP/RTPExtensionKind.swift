/// The RTP header extensions that this engine names; `a=extmap` binds each to an identifier per session (RFC 8285).
package enum RTPExtensionKind: UInt8, Hashable, Sendable, CaseIterable {
    /// Media identification, RFC 8843 section 15.
    case mid
    /// RTP stream id, RFC 8852.
    case rid
    /// Repaired RTP stream id: the rid that an RTX stream repairs, RFC 8852.
    case repairedRid
    /// Client-to-mixer audio level, RFC 6464.
    case audioLevel
    /// 24-bit send time in 1/2^18 s, the "abs-send-time" note of the WebRTC project.
    case absSendTime
    /// Transport-wide sequence number, draft-holmer-rmcat-transport-wide-cc-extensions-01.
    case transportSequenceNumber
    /// Absolute capture time, the "abs-capture-time" note of the WebRTC project.
    case absCaptureTime
    /// Minimum and maximum playout delay, the "playout-delay" note of the WebRTC project.
    case playoutDelay
    /// Coordination of video orientation, 3GPP TS 26.114 section 7.4.5.
    case videoOrientation
    /// Transmission time offset, RFC 5450.
    case transmissionOffset
    /// Dependency descriptor, AV1 RTP specification appendix A.
    case dependencyDescriptor
    case videoContentType
    case videoTiming
    case colorSpace
    case videoLayersAllocation
    /// Mixer-to-client audio levels, RFC 6465.
    case csrcAudioLevel

    /// The URI that stands in `a=extmap`.
    package var uri: String {
        switch self {
        case .mid: "urn:ietf:params:rtp-hdrext:sdes:mid"
        case .rid: "urn:ietf:params:rtp-hdrext:sdes:rtp-stream-id"
        case .repairedRid: "urn:ietf:params:rtp-hdrext:sdes:repaired-rtp-stream-id"
        case .audioLevel: "urn:ietf:params:rtp-hdrext:ssrc-audio-level"
        case .absSendTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-send-time"
        case .transportSequenceNumber:
            "http://www.ietf.org/id/draft-holmer-rmcat-transport-wide-cc-extensions-01"
        case .absCaptureTime: "http://www.webrtc.org/experiments/rtp-hdrext/abs-capture-time"
        case .playoutDelay: "http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"
        case .videoOrientation: "urn:3gpp:video-orientation"
        case .transmissionOffset: "urn:ietf:params:rtp-hdrext:toffset"
        case .dependencyDescriptor:
            "https://aomediacodec.github.io/av1-rtp-spec/#dependency-descriptor-rtp-header-extension"
        case .videoContentType: "http://www.webrtc.org/experiments/rtp-hdrext/video-content-type"
        case .videoTiming: "http://www.webrtc.org/experiments/rtp-hdrext/video-timing"
        case .colorSpace: "http://www.webrtc.org/experiments/rtp-hdrext/color-space"
        case .videoLayersAllocation: "http://www.webrtc.org/experiments/rtp-hdrext/video-layers-allocation00"
        case .csrcAudioLevel: "urn:ietf:params:rtp-hdrext:csrc-audio-level"
        }
    }

    /// The kind with this URI, `nil` for one that the engine doesn't name.
    package init?(uri: some StringProtocol) {
        guard let kind = RTPExtensionKind.allCases.first(where: { $0.uri == uri }) else { return nil }
        self = kind
    }
}
