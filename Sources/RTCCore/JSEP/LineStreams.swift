import RTCWire

extension ReceiveMap {
    /// What `Peer` must know of the lines that receive.
    package init(_ lines: [MediaLine]) {
        self.init(lines: lines.compactMap(\.receiveLine))
    }
}

extension MediaLine {
    /// Audio or video; nil for other lines.
    package var streamKind: StreamKind? {
        switch kind {
        case .audio: .audio
        case .video: .video
        case .application, .other: nil
        }
    }

    fileprivate var receiveLine: ReceiveMap.Line? {
        guard let streamKind, state == .active, direction.receives else { return nil }
        let codecs = self.codecs.flatMap { codec -> [ReceiveMap.Codec] in
            let clockRate = UInt32(clamping: codec.clockRate)
            let primary = ReceiveMap.Codec(
                payloadType: codec.payloadType, clockRate: clockRate, nack: codec.feedback.contains(.nack),
                pli: codec.feedback.contains(.pli), fir: codec.feedback.contains(.fir),
                transportCC: codec.feedback.contains(.transportCC))
            guard let rtx = codec.rtxPayloadType else { return [primary] }
            return [primary, ReceiveMap.Codec(payloadType: rtx, clockRate: clockRate, apt: codec.payloadType)]
        }
        let sources = remote?.sources.map { ReceiveMap.Source(ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC) } ?? []
        return ReceiveMap.Line(
            index: index, kind: streamKind, mid: ShortToken(mid), codecs: codecs, extensionMap: extensionMap,
            sources: sources)
    }

    /// The stream that this line sends, with its first codec or the named one; nil where it doesn't send or the codec
    /// isn't agreed. RTX is there where both sides know it and a source was announced for it.
    package func sendStream(
        codec name: String? = nil, cname: String? = nil, cache: SendStreamConfiguration.Cache? = nil
    ) -> SendStreamConfiguration? {
        let codec = codecs.first { name == nil || $0.name.asciiLowercased == name?.asciiLowercased }
        guard let streamKind, let send, let codec, state == .active, direction.sends else { return nil }
        let hasRTX = send.rtxSSRC != nil && codec.sendRTXPayloadType != nil
        return SendStreamConfiguration(
            ssrc: send.ssrc, rtxSSRC: hasRTX ? send.rtxSSRC : nil, payloadType: codec.sendPayloadType,
            rtxPayloadType: hasRTX ? codec.sendRTXPayloadType : nil, clockRate: UInt32(clamping: codec.clockRate),
            kind: streamKind, mid: ShortToken(mid), extensionMap: extensionMap, cname: send.cname ?? cname, cache: cache
        )
    }
}
