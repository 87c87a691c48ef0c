import RTCWire

extension ReceiveMap {
    /// What `Peer` must know of the lines that receive.
    ///
    /// - Parameter repeatsCopies: packets with copies of earlier frames (RFC 2198) are asked for again as those without are. A
    ///   livekit-server doesn't.
    package init(_ lines: [MediaLine], repeatsCopies: Bool = true) {
        self.init(lines: lines.compactMap { $0.receiveLine(repeatsCopies: repeatsCopies) })
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

    /// Whether a codec's packets may be asked for again: with copies inside, they are of the stream that the plain ones are of.
    private func isRepeated(_ codec: NegotiatedCodec, repeatsCopies: Bool) -> Bool {
        if codec.feedback.contains(.nack) { return true }
        guard repeatsCopies, codec.name == CodecCapability.red.name else { return false }
        return codecs.contains {
            $0.name == CodecCapability.red.carries && $0.clockRate == codec.clockRate && $0.feedback.contains(.nack)
        }
    }

    fileprivate func receiveLine(repeatsCopies: Bool) -> ReceiveMap.Line? {
        guard let streamKind, state == .active, direction.receives else { return nil }
        let codecs = self.codecs.flatMap { codec -> [ReceiveMap.Codec] in
            let clockRate = UInt32(clamping: codec.clockRate)
            let primary = ReceiveMap.Codec(
                payloadType: codec.payloadType, clockRate: clockRate,
                nack: isRepeated(codec, repeatsCopies: repeatsCopies), pli: codec.feedback.contains(.pli),
                fir: codec.feedback.contains(.fir),
                transportCC: codec.feedback.contains(.transportCC), remb: codec.feedback.contains(.remb))
            guard let rtx = codec.rtxPayloadType else { return [primary] }
            return [primary, ReceiveMap.Codec(payloadType: rtx, clockRate: clockRate, apt: codec.payloadType)]
        }
        let sources = remote?.sources.map { ReceiveMap.Source(ssrc: $0.ssrc, rtxSSRC: $0.rtxSSRC) } ?? []
        return ReceiveMap.Line(
            index: index, kind: streamKind, mid: ShortToken(mid), codecs: codecs, extensionMap: extensionMap,
            sources: sources)
    }

    /// The stream that this line sends, with its first codec or the named one; nil where it doesn't send or the codec
    /// isn't agreed. RTX is there where both sides know it and a source was announced for it. Of a simulcast it is the
    /// first stream.
    package func sendStream(
        codec name: String? = nil, cname: String? = nil, cache: SendStreamConfiguration.Cache? = nil
    ) -> SendStreamConfiguration? {
        sendStreams(codec: name, cname: cname, cache: cache).first
    }

    /// The streams that this line sends: of a simulcast those that the other side takes, the largest first; one without a
    /// rid where it takes none or nothing else was asked for.
    package func sendStreams(
        codec name: String? = nil, cname: String? = nil, cache: SendStreamConfiguration.Cache? = nil
    ) -> [SendStreamConfiguration] {
        let codec = codecs.first { name == nil || $0.name.asciiLowercased == name?.asciiLowercased }
        guard let codec else { return [] }
        return sendStreams(codec, cname: cname, cache: cache)
    }

    /// The stream that this line sends, with one of its codecs.
    package func sendStream(
        _ codec: NegotiatedCodec, cname: String? = nil, cache: SendStreamConfiguration.Cache? = nil
    ) -> SendStreamConfiguration? {
        sendStreams(codec, cname: cname, cache: cache).first
    }

    private func sendStreams(
        _ codec: NegotiatedCodec, cname: String?, cache: SendStreamConfiguration.Cache?
    ) -> [SendStreamConfiguration] {
        guard let streamKind, let send, state == .active, direction.sends else { return [] }
        var extensionMap = extensionMap
        // Who sees numbered packets answers with feedback instead of an estimate.
        if !codec.feedback.contains(.transportCC) { extensionMap.set(0, .transportSequenceNumber) }
        func stream(_ ssrc: UInt32, _ rtxSSRC: UInt32?, rid: String?) -> SendStreamConfiguration {
            let hasRTX = rtxSSRC != nil && codec.sendRTXPayloadType != nil
            return SendStreamConfiguration(
                ssrc: ssrc, rtxSSRC: hasRTX ? rtxSSRC : nil, payloadType: codec.sendPayloadType,
                rtxPayloadType: hasRTX ? codec.sendRTXPayloadType : nil, clockRate: UInt32(clamping: codec.clockRate),
                kind: streamKind, mid: ShortToken(mid), rid: rid.flatMap { ShortToken($0) }, extensionMap: extensionMap,
                cname: send.cname ?? cname, cache: cache)
        }
        let layers = acceptedLayers
        guard !layers.isEmpty else { return [stream(send.ssrc, send.rtxSSRC, rid: nil)] }
        return layers.map { stream($0.ssrc, $0.rtxSSRC, rid: $0.rid) }
    }

    /// The streams of our simulcast that the other side's description takes.
    package var acceptedLayers: [SendLayer] {
        guard let send, let taken = remote?.simulcast?.receive else { return [] }
        let rids = Set(taken.joined().map(\.rid))
        return send.layers.filter { rids.contains($0.rid) }
    }
}
