import RTCWire

extension Negotiator {
    /// Describes all lines. The offer is open until `applyAnswer` or `rollback`; making another one replaces it.
    package mutating func createOffer() throws(NegotiationError) -> SDPSession {
        guard state != .haveRemoteOffer else { throw .remoteOfferOpen }
        var next = self
        next.version += 1
        var offered: [OfferedLine] = []
        for line in lines { offered.append(try next.plan(line)) }
        let tag = lines.first { !offered[$0.index].isStopped }?.index
        let writer = SectionWriter(negotiator: next, setup: .actpass)
        var media: [SDPMedia] = []
        for line in lines {
            media.append(try next.section(line, offered[line.index], writer, isTag: line.index == tag))
        }
        let bundle = lines.filter { !offered[$0.index].isStopped }.map(\.mid)
        next.openOffer(offered)
        // An offer that a later one replaces may have been taken all the same: only an answer takes this back.
        for line in lines where offered[line.index].announcesStream { next.lines[line.index].announcesStream = true }
        next.describedCredentials = credentials
        self = next
        return writer.session(media, bundle: bundle, allowsMixed: true)
    }

    private mutating func plan(_ line: MediaLine) throws(NegotiationError) -> OfferedLine {
        guard line.state == .active else { return OfferedLine(isStopped: true, direction: .inactive) }
        var plan = OfferedLine(isStopped: false, direction: line.offeredDirection)
        guard line.isRTP else { return plan }
        plan.announcesStream = plan.direction.sends && line.send != nil
        for index in line.allowed(configuration.codecs) {
            let capability = configuration.codecs[index]
            var parameters = try wrapped(capability) ?? capability.parameters
            if let extra = line.extraParameters[capability.name.asciiLowercased] { parameters.merge(extra) }
            plan.codecs.append(
                OfferedLine.Codec(
                    capability: index, numbers: try numbers.payloadTypes(of: index, capability),
                    parameters: parameters,
                    feedback: configuration.feedback(of: capability, remoteSends: plan.direction.receives)))
        }
        for kind in configuration.extensions(of: line.kind, remoteSends: plan.direction.receives) {
            plan.extensionMap.set(try numbers.id(of: kind), kind)
        }
        return plan
    }

    /// The format parameters of a codec that wraps another: that one's payload type for the frame and for its copy.
    private mutating func wrapped(_ capability: CodecCapability) throws(NegotiationError) -> SDPFormatParameters? {
        guard let carried = capability.carries,
            let index = configuration.codecs.firstIndex(where: { $0.kind == capability.kind && $0.name == carried })
        else { return nil }
        let number = try numbers.payloadTypes(of: index, configuration.codecs[index]).primary
        return SDPFormatParameters(parsing: "\(number)/\(number)")
    }

    private func section(
        _ line: MediaLine, _ plan: OfferedLine, _ writer: SectionWriter, isTag: Bool
    ) throws(NegotiationError) -> SDPMedia {
        if plan.isStopped { return writer.rejected(line) }
        if line.kind == .application { return writer.application(line, isTag: isTag) }
        let codecs = plan.codecs.map { codec in
            let capability = configuration.codecs[codec.capability]
            return SectionWriter.Codec(
                payloadType: codec.numbers.primary, rtx: codec.numbers.rtx, name: capability.name,
                clockRate: capability.clockRate, channels: capability.channels, parameters: codec.parameters,
                feedback: codec.feedback)
        }
        return try writer.media(
            line, direction: plan.direction, codecs: codecs, extensions: plan.extensionMap, isTag: isTag)
    }

    /// Takes the answer to our open offer.
    @discardableResult
    package mutating func applyAnswer(_ answer: SDPSession) throws(NegotiationError) -> RemoteChange {
        guard state == .haveLocalOffer else { throw .noOffer }
        guard answer.media.count == offered.count else {
            throw .lineCount(expected: offered.count, found: answer.media.count)
        }
        var next = self
        let isAlone = answer.media.filter { !$0.isRejected }.count <= 1
        for (index, section) in answer.media.enumerated() {
            try next.take(section, at: index, of: answer, isAlone: isAlone)
        }
        try next.takeTransport(ofAnswer: answer)
        let change = RemoteChange(from: remoteTransport, to: next.remoteTransport)
        next.finish(describing: true)
        self = next
        return change
    }

    private mutating func take(
        _ section: SDPMedia, at index: Int, of answer: SDPSession, isAlone: Bool
    ) throws(NegotiationError) {
        var line = lines[index]
        let plan = offered[index]
        try line.checkUnchanged(section)
        defer { lines[index] = line }
        guard !plan.isStopped, !section.isRejected else { return line.close() }
        guard isAlone || answer.bundle?.contains(line.mid) == true else { throw .notBundled(line.name) }
        let remote = RemoteMedia(section, session: answer)
        line.remote = remote
        guard line.isRTP else {
            line.direction = .sendrecv
            return
        }
        guard remote.hasRTCPMux else { throw .missingRTCPMux(line.name) }
        line.codecs = plan.agreed(remote, configuration.codecs)
        guard !line.codecs.isEmpty else { throw .noCommonCodec(line.name) }
        line.announcesStream = plan.announcesStream
        line.direction = plan.direction.intersection(remote.direction.reversed)
        line.extensionMap = plan.extensionMap.keeping(remote)
    }

    private mutating func takeTransport(ofAnswer answer: SDPSession) throws(NegotiationError) {
        let live = lines[..<offered.count].filter { $0.state == .active }.map(\.index)
        let tagged = answer.bundle?.first.flatMap { tag in live.first { lines[$0].mid == tag } }
        guard let index = tagged ?? live.first else { return }
        let reader = TransportReader(session: answer, section: answer.media[index], name: lines[index].name)
        let read = try reader.read { setup in
            switch setup {
            case .active: .server
            case .passive: .client
            case .actpass, .holdconn, nil: nil
            }
        }
        remoteTransport = try succeeding(read, lines[index].name)
    }
}

extension OfferedLine {
    /// The offered codecs that the answer took, in its order.
    func agreed(_ remote: RemoteMedia, _ capabilities: [CodecCapability]) -> [NegotiatedCodec] {
        remote.codecs.compactMap { codec in
            let matching = codecs.filter { capabilities[$0.capability].matches(codec) }
            guard let mine = matching.first(where: { $0.numbers.primary == codec.payloadType }) ?? matching.first else {
                return nil
            }
            let capability = capabilities[mine.capability]
            let hasRTX = mine.numbers.rtx != nil && codec.rtxPayloadType != nil
            return NegotiatedCodec(
                capability: mine.capability, name: capability.name, clockRate: capability.clockRate,
                channels: capability.channels,
                payloadType: mine.numbers.primary, rtxPayloadType: hasRTX ? mine.numbers.rtx : nil,
                sendPayloadType: codec.payloadType, sendRTXPayloadType: hasRTX ? codec.rtxPayloadType : nil,
                remoteParameters: codec.parameters, localParameters: mine.parameters,
                feedback: mine.feedback.intersection(codec.feedback), remoteFeedback: codec.feedback)
        }
    }
}

extension RTPExtensionMap {
    /// The extensions of an offer that its answer took. An answer can't give an id another meaning (RFC 8285 section 6).
    fileprivate func keeping(_ remote: RemoteMedia) -> RTPExtensionMap {
        var map = RTPExtensionMap()
        for taken in remote.extensions where taken.id == id(for: taken.kind) { map.set(taken.id, taken.kind) }
        map.allowsMixed = remote.allowsMixedExtensions
        return map
    }
}

extension MediaLine {
    /// A line keeps its kind, and its mid while it lives; an answer may leave the mid out.
    func checkUnchanged(_ section: SDPMedia) throws(NegotiationError) {
        guard section.kind == kind else {
            throw .lineChanged(name, expected: kind.text, found: section.kind.text)
        }
        if let found = section.mid, found != mid {
            throw .lineChanged(name, expected: "mid \"\(mid)\"", found: "mid \"\(found)\"")
        }
    }

    /// Ends the line: both descriptions have it with port 0.
    mutating func close() {
        state = .stopped
        direction = .inactive
        announcesStream = false
        codecs = []
        extensionMap = RTPExtensionMap()
        send = nil
        remote?.sources = []
        remote?.direction = .inactive
    }

    /// What a new offer asks for.
    fileprivate var offeredDirection: MediaDirection {
        wantedDirection ?? MediaDirection(sends: send != nil, receives: true)
    }
}
