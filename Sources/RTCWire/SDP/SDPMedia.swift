/// What an m-line carries.
public enum SDPMediaKind: Hashable, Sendable {
    case audio
    case video
    case application
    case other(String)

    package init(_ text: String) {
        switch text {
        case "audio": self = .audio
        case "video": self = .video
        case "application": self = .application
        default: self = .other(text)
        }
    }

    /// The word on the m-line.
    package var text: String {
        switch self {
        case .audio: "audio"
        case .video: "video"
        case .application: "application"
        case .other(let text): text
        }
    }
}

/// One m-section: `m=<kind> <port>[/<count>] <protocol> <format> ...` and what follows it (RFC 8866 section 5.14).
package struct SDPMedia: SDPSection, Hashable, Sendable {
    package var kind: SDPMediaKind
    /// 0 for a rejected or stopped section, unless `isBundleOnly`; 9 stands for "not known yet".
    package var port: UInt16
    /// The `/<count>` after the port, hardly ever there.
    package var portCount: Int?
    /// `UDP/TLS/RTP/SAVPF`, `UDP/DTLS/SCTP` ...
    package var protocolName: String
    /// Payload types, or `webrtc-datachannel`.
    package var formats: [String]
    package var lines: [SDPLine]

    package init(kind: SDPMediaKind, port: UInt16, protocolName: String, formats: [String], lines: [SDPLine] = []) {
        self.kind = kind
        self.port = port
        self.protocolName = protocolName
        self.formats = formats
        self.lines = lines
    }

    /// The value of an `m=` line; nil if it has not kind, port and protocol.
    package init?(parsing value: String) {
        let parts = value.fields()
        guard parts.count >= 3 else { return nil }
        let (portText, countText) = parts[1].cut(at: UInt8(ascii: "/"))
        guard let port = UInt16(portText) else { return nil }
        if let countText {
            guard let count = UInt16(countText) else { return nil }
            portCount = Int(count)
        }
        kind = SDPMediaKind(parts[0])
        self.port = port
        protocolName = parts[2]
        formats = Array(parts[3...])
        lines = []
    }

    /// The value of the `m=` line.
    package var mediaLine: String {
        var text = "\(kind.text) \(port)"
        if let portCount { text += "/\(portCount)" }
        text += " \(protocolName)"
        for format in formats { text += " \(format)" }
        return text
    }

    /// The `c=` line.
    package var connection: String? { field("c") }
    /// The `b=` line, for example `AS:2000`.
    package var bandwidth: String? { field("b") }
}

// MARK: Typed attributes

extension SDPMedia {
    /// `a=mid` (RFC 5888 section 4).
    package var mid: String? { value("mid") }
    /// The direction; `sendrecv` where none is stated (RFC 8866 section 6.7).
    package var direction: MediaDirection { statedDirection ?? .sendrecv }
    /// `a=bundle-only` (RFC 9143 section 6): port 0 does not mean rejected.
    package var isBundleOnly: Bool { has("bundle-only") }
    /// True where the section is rejected, stopped or disabled.
    package var isRejected: Bool { port == 0 && !isBundleOnly }
    /// True for an RTP section over DTLS-SRTP, whatever its other words.
    package var isSecureRTP: Bool { protocolName.hasSuffix("RTP/SAVPF") || protocolName.hasSuffix("RTP/SAVP") }
    /// Every candidate that parses.
    package var candidates: [ICECandidate] { values("candidate").compactMap { try? ICECandidate(parsing: $0) } }
    package var endOfCandidates: Bool { has("end-of-candidates") }
    package var rtpmaps: [SDPRTPMap] { values("rtpmap").compactMap(SDPRTPMap.init(parsing:)) }
    /// Every `a=fmtp` in order; a payload type may have several.
    package var formatParameters: [(format: String, parameters: SDPFormatParameters)] {
        values("fmtp").compactMap { value in
            let (format, text) = value.cut(at: UInt8(ascii: " "))
            return text.map { (format, SDPFormatParameters(parsing: $0)) }
        }
    }
    package var rtcpFeedback: [SDPFeedback] { values("rtcp-fb").compactMap(SDPFeedback.init(parsing:)) }
    package var extmaps: [SDPExtensionMapping] { values("extmap").compactMap(SDPExtensionMapping.init(parsing:)) }
    package var msids: [SDPStreamID] { values("msid").compactMap(SDPStreamID.init(parsing:)) }
    package var ssrcs: [SDPSource] { values("ssrc").compactMap(SDPSource.init(parsing:)) }
    package var ssrcGroups: [SDPSourceGroup] { values("ssrc-group").compactMap(SDPSourceGroup.init(parsing:)) }
    package var rids: [SDPRID] { values("rid").compactMap(SDPRID.init(parsing:)) }
    package var simulcast: SDPSimulcast? { value("simulcast").flatMap(SDPSimulcast.init(parsing:)) }
    /// `a=rtcp-mux` (RFC 5761 section 5.1.1).
    package var rtcpMux: Bool { has("rtcp-mux") }
    /// `a=rtcp-rsize` (RFC 5506 section 5).
    package var rtcpRsize: Bool { has("rtcp-rsize") }
    /// `a=sctp-port` (RFC 8841 section 5).
    package var sctpPort: UInt16? { value("sctp-port").flatMap { UInt16($0.trimmed) } }
    /// `a=max-message-size` in bytes (RFC 8841 section 6); 0 means no limit.
    package var maxMessageSize: UInt64? { value("max-message-size").flatMap { UInt64($0.trimmed) } }
}
