import RTCWire

extension Negotiator {
    /// Works out for every line what the open offer and our wishes have in common.
    mutating func agree() {
        var meanings = BundleMeanings()
        for index in lines.indices where lines[index].isRTP && lines[index].state == .active {
            guard let remote = lines[index].remote else { continue }
            lines[index].codecs = codecs(lines[index], remote, &meanings)
            lines[index].extensionMap = extensions(lines[index], remote, &meanings)
            lines[index].direction = direction(lines[index], remote)
        }
        for index in lines.indices where lines[index].kind == .application && lines[index].state == .active {
            lines[index].direction = .sendrecv
        }
    }

    /// Keeps the offer's numbers for offers of our own.
    mutating func learn(_ line: MediaLine) {
        for codec in line.codecs {
            let numbers = NumberTable.PayloadTypes(primary: codec.payloadType, rtx: codec.rtxPayloadType)
            self.numbers.learn(numbers, of: codec.capability)
        }
        numbers.learn(line.extensionMap)
    }

    private func codecs(
        _ line: MediaLine, _ remote: RemoteMedia, _ meanings: inout BundleMeanings
    ) -> [NegotiatedCodec] {
        let allowed = line.allowed(configuration.codecs)
        let agreed = remote.codecs.compactMap { codec -> NegotiatedCodec? in
            guard let index = allowed.first(where: { configuration.codecs[$0].matches(codec) }),
                meanings.take(payloadType: codec.payloadType, index)
            else { return nil }
            let capability = configuration.codecs[index]
            var rtx = capability.hasRTX ? codec.rtxPayloadType : nil
            if let number = rtx, !meanings.take(payloadType: number, ~index) { rtx = nil }
            let feedback = configuration.feedback(of: capability, remoteSends: remote.direction.sends)
            var parameters = capability.answerParameters(to: codec)
            if let extra = line.extraParameters[capability.name.asciiLowercased] { parameters.merge(extra) }
            return NegotiatedCodec(
                capability: index, name: capability.name, clockRate: capability.clockRate,
                channels: capability.channels, payloadType: codec.payloadType, rtxPayloadType: rtx,
                sendPayloadType: codec.payloadType, sendRTXPayloadType: rtx, remoteParameters: codec.parameters,
                localParameters: parameters, feedback: feedback.intersection(codec.feedback),
                remoteFeedback: codec.feedback)
        }
        guard line.codecNames != nil else { return agreed }
        return allowed.flatMap { index in agreed.filter { $0.capability == index } }
    }

    private func extensions(
        _ line: MediaLine, _ remote: RemoteMedia, _ meanings: inout BundleMeanings
    ) -> RTPExtensionMap {
        let wanted = configuration.answeredExtensions(of: line.kind, remoteSends: remote.direction.sends)
        var map = RTPExtensionMap()
        map.allowsMixed = remoteOffer?.allowsMixedExtensions ?? false
        for offered in remote.extensions where offered.id < 15 || map.allowsMixed {
            guard wanted.contains(offered.kind), map.id(for: offered.kind) == 0, map.kind(for: offered.id) == nil,
                meanings.take(extensionID: offered.id, offered.kind)
            else { continue }
            map.set(offered.id, offered.kind)
        }
        return map
    }

    private func direction(_ line: MediaLine, _ remote: RemoteMedia) -> MediaDirection {
        let keepsOpen = configuration.keepsIdleLinesOpen && remote.direction == .recvonly
        let wanted = line.wantedDirection ?? MediaDirection(sends: line.send != nil || keepsOpen, receives: true)
        return wanted.intersection(remote.direction.reversed)
    }
}

/// What the numbers of one description mean: on all lines of a bundle the same (RFC 9143 section 9.1). A line that uses a
/// number otherwise than an earlier one goes without that codec or extension.
private struct BundleMeanings {
    /// Capability index by payload type; inverted for the codec's RTX.
    private var payloadTypes: [UInt8: Int] = [:]
    private var extensionIDs: [UInt8: RTPExtensionKind] = [:]

    mutating func take(payloadType: UInt8, _ meaning: Int) -> Bool {
        if let known = payloadTypes[payloadType] { return known == meaning }
        payloadTypes[payloadType] = meaning
        return true
    }

    mutating func take(extensionID: UInt8, _ kind: RTPExtensionKind) -> Bool {
        if let known = extensionIDs[extensionID] { return known == kind }
        extensionIDs[extensionID] = kind
        return true
    }
}
