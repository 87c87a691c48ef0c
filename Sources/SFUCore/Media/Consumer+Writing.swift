import RTCCore
import RTCWire

/// What a consumer's packets are made of.
extension Consumer {
    /// The rewritten descriptor, behind the `offset` bytes of the scratch memory that the caller has written, and the rest.
    func parts(
        of packet: SourcePacket, _ numbering: Numbering, _ verdict: LayerFilter.Verdict, at offset: Int, isNewest: Bool
    ) -> (prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch[offset..<Consumer.dependencyOffset])
        var length = pictures.write(packet.head, numbering, isNewest: isNewest, into: room)
        var replaced = min(length, packet.payload.count)
        if !configuration.hasDependencyDescriptor, producer.codec == .av1, let frame = packet.dependency,
            let seam = AV1Seam(of: frame, endsPicture: verdict.marker)
        {
            (length, replaced) = seam.write(packet.payload, into: room)
        }
        return (
            UnsafeRawBufferPointer(rebasing: scratch[..<(offset + length)]),
            UnsafeRawBufferPointer(rebasing: packet.payload[replaced...])
        )
    }

    /// The extensions that go with a packet: the room's bounds on playout on the first packets, until they must have come.
    func extensions(of packet: SourcePacket) -> RTPExtensions {
        guard let delay = configuration.playoutDelay else { return packet.extensions }
        var extensions = packet.extensions
        extensions.playoutDelay = packets < Consumer.playoutDelayPackets || packet.startsKeyFrame ? delay : nil
        return extensions
    }

    /// The extensions that are passed on as bytes, the dependency descriptor rewritten where it must be.
    func opaque(
        of packet: SourcePacket, _ numbering: Numbering, _ verdict: LayerFilter.Verdict, isNewest: Bool
    ) -> RTPOpaqueElements {
        guard !packet.opaque.dependencyDescriptor.isEmpty else { return packet.opaque }
        let room = UnsafeMutableRawBufferPointer(rebasing: scratch[Consumer.dependencyOffset...])
        let length = pictures.writeDependency(
            packet, numbering, targets: verdict.announcedTargets, decodeTargets: layer?.structure?.decodeTargets ?? 0,
            isNewest: isNewest, into: room)
        guard length > 0 else { return packet.opaque }
        var opaque = packet.opaque
        opaque.dependencyDescriptor = UnsafeRawBufferPointer(rebasing: room[..<length])
        return opaque
    }

    /// Where the scratch memory holds the rewritten dependency descriptor; what is before it is for payloads.
    private static let dependencyOffset = 32
    private static let playoutDelayPackets = 100

    // MARK: Reports and repetitions

    /// What a sender report says now: the source's own clock, read at this moment, and where this consumer's time line
    /// stands by it. Nil while nothing flows, or the source has not told its clock.
    package func senderReport(now: Instant) -> ForwardedReport? {
        guard isFlowing, let clock = layer?.clock?.advanced(to: now, clockRate: producer.clockRate) else { return nil }
        return ForwardedReport(
            ssrc: configuration.ssrc, ntp: clock.ntp,
            rtpTimestamp: clock.timestamp &+ munger.current.timestampOffset)
    }

    /// Reports at once where the time line has changed, or has only just become known: until then nobody can line up audio
    /// with video.
    func reportEarly(now: Instant) {
        guard configuration.reportsEarly, let report = senderReport(now: now) else { return }
        sink.sendSenderReport(report)
    }

    /// Repeats packets that the subscriber misses, on the retransmission stream: each at most once per `spacing`, all
    /// together within the stream's budget.
    ///
    /// Where no such stream was negotiated the connection keeps what it has sealed and repeats that: a packet made again
    /// would leave under a number that was sealed before, which SRTP forbids.
    package func resend(_ sequences: [UInt16], now: Instant, spacing: Interval) {
        guard let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType else { return }
        for sequence in sequences.prefix(Int(RetransmissionLog.reach)) {
            guard munger.age(of: sequence) < RetransmissionLog.reach else {
                producer.statistics.retransmissionMisses += 1
                continue
            }
            if repetitions.log.isRecent(sequence, now: now, spacing: spacing) {
                producer.statistics.retransmissionsRefused += 1
                continue
            }
            repeatOriginal(of: sequence, now: now, ssrc: ssrc, payloadType: payloadType)
        }
    }

    private func repeatOriginal(of sequence: UInt16, now: Instant, ssrc: UInt32, payloadType: UInt8) {
        // One that isn't at hand is looked for as seldom as one that is.
        repetitions.log.note(sequence, now: now)
        guard let original = munger.original(of: sequence),
            var packet = original.layer.ring?.find(original.source, codec: producer.codec)
        else {
            producer.statistics.retransmissionMisses += 1
            return
        }
        guard repetitions.budget.take(packet.payload.count, now: now) else {
            producer.statistics.retransmissionsRefused += 1
            return
        }
        if packet.needsDependency(producer.codec) {
            var structure = original.layer.structure
            packet.readDependency(&structure)
        }
        let verdict = filter.judge(packet, of: original.layer, isNewest: false)
        // It had been lost on its way here, so nobody could know that it was to be left out.
        if !verdict.isTaken {
            packet.payload = UnsafeRawBufferPointer(start: nil, count: 0)
            packet.head = .none
        }
        repeatPacket(packet, sequence, original.numbering, verdict, ssrc: ssrc, payloadType: payloadType)
    }

    func repeatPacket(
        _ packet: SourcePacket, _ sequence: UInt16, _ numbering: Numbering, _ verdict: LayerFilter.Verdict,
        ssrc: UInt32, payloadType: UInt8
    ) {
        let header = OutgoingRTP(
            ssrc: ssrc, payloadType: payloadType, marker: verdict.marker, sequenceNumber: repetitions.nextSequence,
            timestamp: packet.timestamp &+ numbering.timestampOffset, extensions: extensions(of: packet),
            opaque: opaque(of: packet, numbering, verdict, isNewest: false))
        let offset = RTX.write(originalSequenceNumber: sequence, into: scratch)
        let (prefix, payload) = parts(of: packet, numbering, verdict, at: offset, isNewest: false)
        guard sink.forward(header, prefix: prefix, payload: payload) else { return }
        repetitions.nextSequence &+= 1
        producer.statistics.retransmissions += 1
    }
}
