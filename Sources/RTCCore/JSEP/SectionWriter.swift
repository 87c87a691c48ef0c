import RTCWire

/// Writes our m-sections; the order of attributes is libwebrtc's.
struct SectionWriter {
    let negotiator: Negotiator
    /// Of this description.
    let setup: SDPSetup

    /// Where a line stands that is rejected or stopped.
    func rejected(_ line: MediaLine) -> SDPMedia {
        let isSCTP = line.kind == .application
        var section = SDPMedia(
            kind: line.kind, port: 0,
            protocolName: line.remote?.protocolName ?? (isSCTP ? "UDP/DTLS/SCTP" : "UDP/TLS/RTP/SAVPF"),
            formats: line.remote?.formats ?? [isSCTP ? "webrtc-datachannel" : "0"])
        if section.formats.isEmpty { section.formats = ["0"] }
        section.lines.append(.field(type: UInt8(ascii: "c"), value: "IN IP4 0.0.0.0"))
        if !line.mid.isEmpty { section.add("mid", line.mid) }
        section.add(MediaDirection.inactive.rawValue)
        return section
    }

    /// An `m=application` line.
    func application(_ line: MediaLine, isTag: Bool) -> SDPMedia {
        var section = SDPMedia(
            kind: .application, port: 9, protocolName: line.remote?.protocolName ?? "UDP/DTLS/SCTP",
            formats: line.remote?.formats ?? ["webrtc-datachannel"])
        addTransport(to: &section, line, isTag: isTag)
        section.add("sctp-port", String(SCTPConfiguration.localPort))
        section.add("max-message-size", String(negotiator.configuration.maxMessageSize))
        return section
    }

    /// An RTP line with what `codecs` say.
    func media(
        _ line: MediaLine, direction: MediaDirection, codecs: [Codec], extensions: RTPExtensionMap, isTag: Bool,
        protocolName: String = "UDP/TLS/RTP/SAVPF"
    ) throws(NegotiationError) -> SDPMedia {
        var section = SDPMedia(kind: line.kind, port: 9, protocolName: protocolName, formats: [])
        addTransport(to: &section, line, isTag: isTag)
        for (id, kind) in extensions.pairs {
            section.add("extmap", SDPExtensionMapping(id: Int(id), uri: kind.uri).description)
        }
        section.add(direction.rawValue)
        let send = direction.sends ? line.send : nil
        if let send {
            for text in [send.streamID, send.trackID, send.cname ?? "-"] {
                guard text.isVisibleToken else { throw .invalidIdentifier(text) }
            }
            section.add("msid", "\(send.streamID) \(send.trackID)")
        }
        section.add("rtcp-mux")
        if line.remote?.reducedSizeRTCP ?? true { section.add("rtcp-rsize") }
        for codec in codecs { add(codec, to: &section) }
        if let send, setup == .actpass, !send.layers.isEmpty {
            try addLayers(send.layers, to: &section)
        } else {
            addSimulcast(line, to: &section)
            if let send { add(send, hasRTX: codecs.contains { $0.rtx != nil }, to: &section) }
        }
        return section
    }

    /// One codec as our description has it.
    struct Codec {
        var payloadType: UInt8
        var rtx: UInt8?
        var name: String
        var clockRate: Int
        var channels: Int
        var parameters: SDPFormatParameters
        var feedback: CodecFeedback
    }

    private func addTransport(to section: inout SDPMedia, _ line: MediaLine, isTag: Bool) {
        section.lines.append(.field(type: UInt8(ascii: "c"), value: "IN IP4 0.0.0.0"))
        if isTag {
            for candidate in negotiator.localCandidates { section.add("candidate", candidate.description) }
            if negotiator.localCandidatesComplete { section.add("end-of-candidates") }
        }
        section.add("ice-ufrag", negotiator.credentials.ufrag)
        section.add("ice-pwd", negotiator.credentials.pwd)
        section.add("ice-options", "trickle")
        section.add("fingerprint", negotiator.configuration.fingerprint.description)
        section.add("setup", setup.rawValue)
        if !line.mid.isEmpty { section.add("mid", line.mid) }
    }

    private func add(_ codec: Codec, to section: inout SDPMedia) {
        let map = SDPRTPMap(
            payloadType: codec.payloadType, name: codec.name, clockRate: codec.clockRate, channels: codec.channels)
        section.formats.append(String(codec.payloadType))
        section.add("rtpmap", map.description)
        for name in codec.feedback.names {
            section.add("rtcp-fb", SDPFeedback(payloadType: codec.payloadType, name: name).description)
        }
        if !codec.parameters.isEmpty { section.add("fmtp", "\(codec.payloadType) \(codec.parameters)") }
        guard let rtx = codec.rtx else { return }
        section.formats.append(String(rtx))
        section.add("rtpmap", SDPRTPMap(payloadType: rtx, name: "rtx", clockRate: codec.clockRate).description)
        section.add("fmtp", "\(rtx) apt=\(codec.payloadType)")
    }

    /// Accepts every layer the other side offers to send, in its order (RFC 8853 section 5.3.2).
    private func addSimulcast(_ line: MediaLine, to section: inout SDPMedia) {
        guard negotiator.configuration.acceptsSimulcast, let remote = line.remote, let layers = remote.simulcast?.send,
            !layers.isEmpty, !remote.rids.isEmpty
        else { return }
        for rid in remote.rids { section.add("rid", SDPRID(id: rid.id, sends: false).description) }
        section.add("simulcast", SDPSimulcast(receive: layers).description)
    }

    /// Offers a simulcast, its streams told apart by rid alone (RFC 8853 section 5.3.1).
    private func addLayers(_ layers: [SendLayer], to section: inout SDPMedia) throws(NegotiationError) {
        for layer in layers {
            guard layer.rid.isRID else { throw .invalidIdentifier(layer.rid) }
            section.add("rid", SDPRID(id: layer.rid, sends: true).description)
        }
        let streams = layers.map { [SDPSimulcast.Alternative(rid: $0.rid, isPaused: false)] }
        section.add("simulcast", SDPSimulcast(send: streams).description)
    }

    private func add(_ send: SendDescription, hasRTX: Bool, to section: inout SDPMedia) {
        var sources = [send.ssrc]
        if let rtx = send.rtxSSRC, hasRTX {
            sources.append(rtx)
            section.add("ssrc-group", SDPSourceGroup(semantics: "FID", ssrcs: sources).description)
        }
        for ssrc in sources {
            let cname = send.cname ?? negotiator.configuration.cname
            section.add("ssrc", SDPSource(ssrc: ssrc, attribute: "cname", value: cname).description)
            let msid = "\(send.streamID) \(send.trackID)"
            section.add("ssrc", SDPSource(ssrc: ssrc, attribute: "msid", value: msid).description)
        }
    }
}

extension SectionWriter {
    /// The session part and the sections of one description.
    func session(_ media: [SDPMedia], bundle: [String]?, allowsMixed: Bool) -> SDPSession {
        var session = SDPSession(
            origin: SDPOrigin(
                sessionID: negotiator.configuration.sessionID, sessionVersion: negotiator.version))
        if let bundle, !bundle.isEmpty { session.add("group", SDPGroup(semantics: "BUNDLE", mids: bundle).description) }
        if negotiator.configuration.iceLite { session.add("ice-lite") }
        if allowsMixed { session.add("extmap-allow-mixed") }
        session.add("msid-semantic", " WMS *")
        session.media = media
        return session
    }
}
