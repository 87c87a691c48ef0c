import RTCWire

extension Peer {
    /// Answers a NACK about a stream we keep packets of: each packet at most once per round trip. A second answer has shown no gain
    /// behind a server that forwards pictures (docs/quality.md, Losses); and what is missing of sound is mostly played without before
    /// it could come.
    mutating func retransmit(_ sequences: [UInt16], stream index: Int, _ now: Instant, _ outbox: Outbox) {
        guard let destination = mediaDestination else { return }
        let spacing = repetitionSpacing.full
        let age = configuration.streams.cacheAge
        for sequence in sequences {
            let kept = sending.update(index) { $0.kept(sequence, now: now, age: age, spacing: spacing) }
            guard let kept else { continue }
            if sending.streams[index].usesRTX {
                repeatOverRTX(kept, sequence, stream: index, to: destination, now, outbox)
            } else {
                repeatUnchanged(kept, stream: index, to: destination, now, outbox)
            }
        }
    }

    /// How soon a packet is repeated again to the other side.
    package var repetitionSpacing: RepetitionSpacing {
        RepetitionSpacing(
            roundTrip: roundTripTime ?? configuration.streams.minimumNACKInterval, isQueued: roundTrip.isQueued)
    }

    /// A new packet on the retransmission stream, with the original's number before its payload (RFC 4588).
    private mutating func repeatOverRTX(
        _ kept: UnsafeRawBufferPointer, _ sequence: UInt16, stream index: Int, to destination: TransportAddress,
        _ now: Instant, _ outbox: Outbox
    ) {
        let stream = sending.streams[index].configuration
        guard let ssrc = stream.rtxSSRC, let payloadType = stream.rtxPayloadType,
            let header = try? RTPHeader(parsing: kept.bytes)
        else { return }
        var extensions = RTPExtensions(parsing: kept.bytes, header: header, map: stream.extensionMap)
        complete(&extensions, index, now)
        // A repetition names the stream that it repairs, not one of its own (RFC 8852 section 4.3).
        extensions.repairedRid = extensions.rid
        extensions.rid = nil
        let target = outbox.reserve(configuration.maximumDatagram)
        let offset = RTPHeader.write(
            marker: header.marker, payloadType: payloadType, sequenceNumber: sending.streams[index].nextRTXSequence,
            timestamp: header.timestamp, ssrc: ssrc, extensions: extensions,
            opaque: RTPOpaqueElements(extensions, in: kept),
            map: stream.extensionMap, into: target)
        let payload = UnsafeRawBufferPointer(rebasing: kept[header.payloadOffset...])
        let length = offset + RTX.headerLength + payload.count
        guard offset > 0, length <= configuration.maximumDatagram,
            RTX.write(originalSequenceNumber: sequence, into: target.suffix(from: offset)) > 0
        else { return }
        target.suffix(from: offset + RTX.headerLength).copyMemory(from: payload)
        sending.update(index) {
            _ = $0.takeRTXSequence()
            $0.statistics.retransmitted += 1
            $0.statistics.retransmittedBytes += payload.count
        }
        if isPacing {
            let waiting = PacedPacket(
                stream: stream.ssrc, sequence: sequence, isRepetition: true, isKeptSealed: false,
                payloadOffset: offset, length: length, queued: now)
            if hold(target, waiting, stream: index, now, outbox) { return }
        }
        guard let sealed = srtp?.protectRTP(target, length: length, payloadOffset: offset) else { return }
        noteSent(sealed, stream: index, sequence, now)
        pacing?.noteRepeated(bytes: sealed, now: now)
        commit(sealed, to: destination, outbox, urgency: urgency(ofStream: index, isRepetition: true))
    }

    /// The very bytes that went out before: without RTX a repetition is the same SRTP packet.
    private mutating func repeatUnchanged(
        _ kept: UnsafeRawBufferPointer, stream index: Int, to destination: TransportAddress, _ now: Instant,
        _ outbox: Outbox
    ) {
        pacing?.pacer.note(bytes: kept.count, now: now)
        pacing?.noteRepeated(bytes: kept.count, now: now)
        let target = outbox.reserve(kept.count)
        target.copyMemory(from: kept)
        let header = (try? RTPHeader(parsing: kept.bytes, encrypted: true))?.payloadOffset ?? 0
        let payload = max(0, kept.count - header - (srtpProfile?.rtpOverhead ?? 0))
        sending.update(index) {
            $0.statistics.retransmitted += 1
            $0.statistics.retransmittedBytes += payload
        }
        commit(kept.count, to: destination, outbox, urgency: urgency(ofStream: index, isRepetition: true))
    }
}
