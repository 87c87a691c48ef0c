import RTCWire

/// What the other side's description says of one line.
package struct RemoteMedia: Hashable, Sendable {
    /// A stream named by `a=ssrc`, with what belongs to it.
    package struct Source: Hashable, Sendable {
        package var ssrc: UInt32
        /// From `a=ssrc-group:FID`.
        package var rtxSSRC: UInt32?
        package var cname: String?
        /// From `a=ssrc:… msid`, the form of older peers.
        package var streamID: SDPStreamID?
    }

    /// A header extension that we know, with an id that packets can carry.
    package struct HeaderExtension: Hashable, Sendable {
        /// 1...14 or 16...255.
        package var id: UInt8
        package var kind: RTPExtensionKind

        init?(_ mapping: SDPExtensionMapping) {
            guard mapping.isUsable, let kind = RTPExtensionKind(uri: mapping.uri) else { return nil }
            id = UInt8(mapping.id)
            self.kind = kind
        }
    }

    /// Seen from the other side.
    package var direction: MediaDirection
    /// The stream and track it sends; nil where neither `a=msid` nor `a=ssrc:… msid` names one.
    package var msid: SDPStreamID?
    /// Primary sources in order; empty with simulcast, whose streams are told apart by rid.
    package var sources: [Source]
    package var groups: [SDPSourceGroup]
    /// The rids it sends, in order; with LiveKit `f`, `h`, `q` or `q`, `h`, `f`.
    package var rids: [SDPRID]
    package var simulcast: SDPSimulcast?
    /// All of its codecs that have an `a=rtpmap` or a static payload type, in its order of preference.
    package var codecs: [RemoteCodec]
    package var extensions: [HeaderExtension]
    package var allowsMixedExtensions: Bool
    package var reducedSizeRTCP: Bool
    package var hasRTCPMux: Bool
    package var isSecureRTP: Bool
    package var protocolName: String
    package var formats: [String]
    /// Of an `m=application` line.
    package var sctpPort: UInt16?
    /// Of an `m=application` line, in bytes.
    package var maxMessageSize: UInt64?
}

extension RemoteMedia {
    /// Sources read from one line; a real line has a handful.
    static let sourceLimit = 64

    init(_ section: SDPMedia, session: SDPSession) {
        direction = section.statedDirection ?? session.statedDirection ?? .sendrecv
        groups = section.ssrcGroups
        sources = RemoteMedia.sources(section, groups: groups)
        msid = section.msids.first ?? sources.lazy.compactMap(\.streamID).first
        rids = section.rids.filter(\.sends)
        simulcast = section.simulcast
        codecs = RemoteMedia.codecs(section)
        extensions = section.extmaps.compactMap(HeaderExtension.init)
        allowsMixedExtensions = section.extmapAllowMixed || session.extmapAllowMixed
        reducedSizeRTCP = section.rtcpRsize
        hasRTCPMux = section.rtcpMux
        isSecureRTP = section.isSecureRTP
        protocolName = section.protocolName
        formats = section.formats
        sctpPort = section.sctpPort
        maxMessageSize = section.maxMessageSize
    }

    private static func sources(_ section: SDPMedia, groups: [SDPSourceGroup]) -> [Source] {
        var repairs: [UInt32: UInt32] = [:]
        for group in groups where group.semantics == "FID" && group.ssrcs.count == 2 {
            repairs[group.ssrcs[0]] = group.ssrcs[1]
        }
        let repairing = Set(repairs.values)
        var positions: [UInt32: Int] = [:]
        var result: [Source] = []
        for line in section.ssrcs where !repairing.contains(line.ssrc) {
            if positions[line.ssrc] == nil {
                guard result.count < sourceLimit else { break }
                positions[line.ssrc] = result.count
                result.append(Source(ssrc: line.ssrc, rtxSSRC: repairs[line.ssrc]))
            }
            guard let index = positions[line.ssrc] else { continue }
            if line.attribute == "cname" { result[index].cname = line.value }
            if line.attribute == "msid" { result[index].streamID = line.value.flatMap(SDPStreamID.init(parsing:)) }
        }
        return result
    }

    /// The codecs in the order of the m-line, RTX folded into what it repeats.
    private static func codecs(_ section: SDPMedia) -> [RemoteCodec] {
        let parameters = formatParameters(section)
        let feedback = section.rtcpFeedback
        let (primaries, repairs) = rtpmaps(section)
        var rtx: [UInt8: UInt8] = [:]
        for repair in repairs {
            guard let apt = parameters[repair.payloadType]?["apt"].flatMap({ UInt8($0) }) else { continue }
            if rtx[apt] == nil { rtx[apt] = repair.payloadType }
        }
        return primaries.map { map in
            let names = feedback.filter { $0.payloadType == nil || $0.payloadType == map.payloadType }.map(\.name)
            return RemoteCodec(
                payloadType: map.payloadType, name: map.name, clockRate: map.clockRate, channels: map.channels,
                parameters: parameters[map.payloadType] ?? SDPFormatParameters(),
                feedback: CodecFeedback(names: names), rtxPayloadType: rtx[map.payloadType])
        }
    }

    /// By payload type; several lines of one payload type add up.
    private static func formatParameters(_ section: SDPMedia) -> [UInt8: SDPFormatParameters] {
        var result: [UInt8: SDPFormatParameters] = [:]
        for entry in section.formatParameters {
            guard let payloadType = UInt8(entry.format) else { continue }
            result[payloadType, default: SDPFormatParameters()].merge(entry.parameters)
        }
        return result
    }

    /// What the formats of the m-line stand for, each once: codecs and RTX.
    private static func rtpmaps(_ section: SDPMedia) -> (primaries: [SDPRTPMap], repairs: [SDPRTPMap]) {
        var known = staticPayloadTypes
        for map in section.rtpmaps { known[map.payloadType] = map }
        var result: (primaries: [SDPRTPMap], repairs: [SDPRTPMap]) = ([], [])
        for format in section.formats {
            guard let payloadType = UInt8(format), let map = known.removeValue(forKey: payloadType) else { continue }
            if map.name.asciiLowercased == "rtx" {
                result.repairs.append(map)
            } else {
                result.primaries.append(map)
            }
        }
        return result
    }

    /// Those of RFC 3551 section 6 that WebRTC peers list without `a=rtpmap`.
    private static let staticPayloadTypes: [UInt8: SDPRTPMap] = [
        0: SDPRTPMap(payloadType: 0, name: "PCMU", clockRate: 8000),
        8: SDPRTPMap(payloadType: 8, name: "PCMA", clockRate: 8000),
        9: SDPRTPMap(payloadType: 9, name: "G722", clockRate: 8000),
        13: SDPRTPMap(payloadType: 13, name: "CN", clockRate: 8000),
    ]
}
