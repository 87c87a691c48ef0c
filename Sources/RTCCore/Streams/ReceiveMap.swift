import RTCWire

/// What the descriptions say of incoming media: which payload type, SSRC and mid belongs to which m-line.
///
/// Built once per negotiation. Payload types and extension ids mean the same on all lines of a bundle
/// (RFC 9143 section 9.1), so one table serves all lines.
package struct ReceiveMap: Sendable {
    /// One payload type.
    package struct Codec: Sendable, Hashable {
        package var payloadType: UInt8
        package var clockRate: UInt32
        /// For a retransmission payload type, the payload type it repeats (`apt`, RFC 4588 section 8.1).
        package var apt: UInt8?
        /// Feedback the sender of this codec understands.
        package var nack: Bool
        package var pli: Bool
        package var fir: Bool
        package var transportCC: Bool
        package var remb: Bool

        package init(
            payloadType: UInt8, clockRate: UInt32, apt: UInt8? = nil, nack: Bool = false, pli: Bool = false,
            fir: Bool = false, transportCC: Bool = false, remb: Bool = false
        ) {
            self.payloadType = payloadType
            self.clockRate = clockRate
            self.apt = apt
            self.nack = nack
            self.pli = pli
            self.fir = fir
            self.transportCC = transportCC
            self.remb = remb
        }
    }

    /// A source named by `a=ssrc`, with its retransmission source named by `a=ssrc-group:FID`.
    package struct Source: Sendable, Hashable {
        package var ssrc: UInt32
        package var rtxSSRC: UInt32?

        package init(ssrc: UInt32, rtxSSRC: UInt32? = nil) {
            self.ssrc = ssrc
            self.rtxSSRC = rtxSSRC
        }
    }

    /// What one m-line receives.
    package struct Line: Sendable {
        package var index: Int
        package var kind: StreamKind
        package var mid: ShortToken?
        package var codecs: [Codec]
        package var extensionMap: RTPExtensionMap
        package var sources: [Source]

        package init(
            index: Int, kind: StreamKind, mid: ShortToken?, codecs: [Codec], extensionMap: RTPExtensionMap,
            sources: [Source] = []
        ) {
            self.index = index
            self.kind = kind
            self.mid = mid
            self.codecs = codecs
            self.extensionMap = extensionMap
            self.sources = sources
        }
    }

    package let lines: [Line]

    package init(lines: [Line] = []) {
        self.lines = lines
    }
}
