import RTCWire

extension Negotiator {
    /// Takes an offer. Afterwards `lines` show what it says; the caller may set what lines send and which codecs they take
    /// before `createAnswer`. An unanswered offer of the other side is replaced by a newer one.
    @discardableResult
    package mutating func applyOffer(_ offer: SDPSession) throws(NegotiationError) -> RemoteChange {
        guard state != .haveLocalOffer else { throw .offerCollision }
        guard offer.media.count >= lines.count else {
            throw .lineCount(expected: lines.count, found: offer.media.count)
        }
        var next = self
        if state == .stable { next.stable = (lines, remoteTransport, numbers) }
        try next.takeLines(of: offer)
        let bundled = try next.bundledLines(offer)
        try next.takeTransport(ofOffer: offer, bundled)
        // Compared with what stood before any open offer, so that a repeated offer doesn't hide a restart.
        let change = RemoteChange(from: next.stable?.remoteTransport, to: next.remoteTransport)
        next.remoteOffer = RemoteOffer(
            bundle: offer.bundle.map { _ in bundled.map { next.lines[$0].mid } },
            allowsMixedExtensions: offer.extmapAllowMixed, bundled: Set(bundled),
            restartsICE: change.restartedICE)
        next.state = .haveRemoteOffer
        next.agree()
        self = next
        return change
    }

    /// Answers the open offer.
    package mutating func createAnswer() throws(NegotiationError) -> SDPSession {
        guard state == .haveRemoteOffer, let offer = remoteOffer else { throw .noOffer }
        guard !offer.restartsICE || credentials != describedCredentials else { throw .localRestartNeeded }
        var next = self
        next.version += 1
        next.agree()
        let accepted = next.lines.filter { next.accepts($0, offer) }.map(\.index)
        let order = next.answerBundle(accepted, offer)
        let tag = order?.first.flatMap { mid in accepted.first { next.lines[$0].mid == mid } } ?? accepted.first
        let setup: SDPSetup = (remoteTransport?.localRole ?? configuration.answerRole) == .client ? .active : .passive
        let writer = SectionWriter(negotiator: next, setup: setup)
        var media: [SDPMedia] = []
        for line in next.lines {
            if accepted.contains(line.index) {
                media.append(try next.section(line, writer, isTag: line.index == tag))
                next.learn(line)
                next.lines[line.index].announcesStream = line.direction.sends && line.send != nil
            } else {
                media.append(writer.rejected(line))
                next.lines[line.index].close()
            }
        }
        let answer = writer.session(media, bundle: order, allowsMixed: offer.allowsMixedExtensions)
        next.finish(describing: true)
        next.describedCredentials = credentials
        self = next
        return answer
    }

    private func section(
        _ line: MediaLine, _ writer: SectionWriter, isTag: Bool
    ) throws(NegotiationError) -> SDPMedia {
        if line.kind == .application { return writer.application(line, isTag: isTag) }
        let codecs = line.codecs.map { codec in
            SectionWriter.Codec(
                payloadType: codec.payloadType, rtx: codec.rtxPayloadType, name: codec.name,
                clockRate: codec.clockRate, channels: codec.channels, parameters: codec.localParameters,
                feedback: codec.feedback)
        }
        return try writer.media(
            line, direction: line.direction, codecs: codecs, extensions: line.extensionMap, isTag: isTag,
            protocolName: line.remote?.protocolName ?? "UDP/TLS/RTP/SAVPF")
    }

    private func accepts(_ line: MediaLine, _ offer: RemoteOffer) -> Bool {
        guard line.state == .active, offer.bundled.contains(line.index) else { return false }
        switch line.kind {
        case .audio, .video: return !line.codecs.isEmpty
        case .application: return configuration.acceptsApplication
        case .other: return false
        }
    }

    /// The accepted mids in the offer's order (RFC 9143 section 7.3); nil where the offer had no group.
    private func answerBundle(_ accepted: [Int], _ offer: RemoteOffer) -> [String]? {
        guard let bundle = offer.bundle else { return nil }
        let mids = Set(accepted.map { lines[$0].mid })
        return bundle.filter { mids.contains($0) }
    }
}

// MARK: Reading the offer

extension Negotiator {
    private mutating func takeLines(of offer: SDPSession) throws(NegotiationError) {
        var mids = Set<String>()
        for (index, section) in offer.media.enumerated() {
            let name = LineName(index: index, mid: section.mid ?? "")
            if let mid = section.mid {
                guard mid.isVisibleToken else { throw .invalidMid(name) }
                guard mids.insert(mid).inserted else { throw .duplicateMid(name) }
            }
            try take(section, at: index, of: offer)
        }
    }

    private mutating func take(_ section: SDPMedia, at index: Int, of offer: SDPSession) throws(NegotiationError) {
        let mid = section.mid ?? ""
        var line: MediaLine
        if index == lines.count {
            line = MediaLine(index: index, mid: mid, kind: section.kind)
            lines.append(line)
        } else if lines[index].isStopped {
            line = MediaLine(index: index, mid: mid, kind: section.kind)
        } else {
            line = lines[index]
            // A stopped line comes back with any mid or none, and may already be used for something else.
            if section.isRejected {
                line = MediaLine(index: index, mid: mid, kind: section.kind)
            } else {
                try line.checkUnchanged(section)
            }
        }
        line.remote = RemoteMedia(section, session: offer)
        if section.isRejected {
            line.close()
        } else if line.isRTP, section.isSecureRTP, !section.rtcpMux {
            throw .missingRTCPMux(line.name)
        }
        lines[index] = line
    }

    /// The live lines that may share the transport: those of the BUNDLE group, or the first one where there is none.
    private func bundledLines(_ offer: SDPSession) throws(NegotiationError) -> [Int] {
        let live = lines.filter { $0.state != .stopped && $0.isTransportable }
        guard let bundle = offer.bundle else { return live.first.map { [$0.index] } ?? [] }
        if let unnamed = live.first(where: \.mid.isEmpty) { throw .invalidMid(unnamed.name) }
        var unseen = Dictionary(live.map { ($0.mid, $0.index) }) { first, _ in first }
        return bundle.compactMap { unseen.removeValue(forKey: $0) }
    }

    private mutating func takeTransport(
        ofOffer offer: SDPSession, _ bundled: [Int]
    ) throws(NegotiationError) {
        guard let index = bundled.first else { return }
        let reader = TransportReader(session: offer, section: offer.media[index], name: lines[index].name)
        let current = stable?.remoteTransport?.localRole
        let preferred = configuration.answerRole
        let read = try reader.read { setup in
            switch setup {
            case .actpass, nil: current ?? preferred
            case .active: .server
            case .passive: .client
            case .holdconn: nil
            }
        }
        remoteTransport = stable?.remoteTransport
        remoteTransport = try succeeding(read, lines[index].name)
    }
}
