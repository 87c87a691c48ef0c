import RTCWire

extension Peer {
    /// Takes a datagram in. Media is opened in place: `ReceivedRTP.payload` of the events names bytes of `buffer`.
    ///
    /// - Parameters:
    ///   - from: where it came from.
    ///   - localBase: the address of the socket it came in on; nil where the peer has one only.
    ///   - arrival: when it came, where that is known better than by the time of the batch; not after `now`.
    package mutating func receive(
        _ buffer: UnsafeMutableRawBufferPointer, from source: TransportAddress, localBase: TransportAddress? = nil,
        now: Instant, arrival: Instant? = nil, into outbox: Outbox
    ) {
        guard state != .closed else { return }
        latest = max(latest, now)
        let arrival = min(arrival ?? now, now)
        statistics.datagramsReceived += 1
        statistics.bytesReceived += buffer.count
        switch PacketKind.classify(UnsafeRawBufferPointer(buffer).bytes) {
        case .rtp: receiveRTP(buffer, arrival, now, outbox)
        case .rtcp: receiveRTCP(buffer, arrival, now, outbox)
        case .stun: receiveSTUN(UnsafeRawBufferPointer(buffer), source, localBase, now, outbox)
        case .dtls: receiveDTLS(UnsafeRawBufferPointer(buffer), source, localBase, now, outbox)
        case .zrtp, .turnChannel, .unknown: statistics.unknownDatagrams += 1
        }
    }

    private mutating func receiveRTP(
        _ buffer: UnsafeMutableRawBufferPointer, _ arrival: Instant, _ now: Instant, _ outbox: Outbox
    ) {
        guard srtp != nil else {
            statistics.earlyDatagrams += 1
            return
        }
        guard var header = try? RTPHeader(parsing: UnsafeRawBufferPointer(buffer).bytes, encrypted: true),
            mayOpen(header.ssrc),
            let length = srtp?.unprotectRTP(buffer, length: buffer.count, header: header)
        else {
            statistics.unopenedDatagrams += 1
            return
        }
        ice.mediaArrived(now: now)
        let packet = UnsafeRawBufferPointer(rebasing: buffer[..<length])
        do throws(WireError) {
            try header.readPadding(in: packet.bytes)
        } catch {
            statistics.malformedPackets += 1
            return
        }
        var extensions = RTPExtensions()
        if header.extensionLength != 0 {
            extensions = RTPExtensions(parsing: packet.bytes, header: header, map: receiving.table.extensionMap)
        }
        recordArrival(extensions, header, datagram: buffer.count, packet: packet.count, arrival, now)
        deliver(header, extensions, packet, arrival, now, outbox)
    }

    /// Whether a packet of this source can't be one that SRTP has forgotten.
    func mayOpen(_ ssrc: UInt32) -> Bool {
        switch srtp {
        case .some(let session): !session.takesAnnouncedOnly || receiving.isExpected(ssrc)
        case .none: false
        }
    }

    /// Finds the packet's source, unwraps a retransmission and hands the packet on where it is new.
    private mutating func deliver(
        _ sent: RTPHeader, _ sentExtensions: RTPExtensions, _ packet: UnsafeRawBufferPointer, _ arrival: Instant,
        _ now: Instant, _ outbox: Outbox
    ) {
        var header = sent
        var extensions = sentExtensions
        let apt = receiving.table.codec(sent.payloadType)?.apt
        let original = apt.flatMap { RTX.restore(sent, in: packet.bytes, ssrc: 0, payloadType: $0) }
        // What carries no original is a probe of padding.
        if apt != nil, original == nil { return }
        let resolution = receiving.resolve(
            header, extensions, originalSequence: original?.sequenceNumber ?? 0, now: now)
        guard case .stream(let index, let isRTX) = resolution else { return countUnresolved(resolution) }
        if isRTX, let original {
            // Nothing can be placed before a first original.
            guard receiving.streams[index].hasStarted else { return }
            header = original
            header.ssrc = receiving.streams[index].ssrc
        }
        guard let codec = receiving.table.codec(header.payloadType) else {
            statistics.unknownPayloadTypes += 1
            return
        }
        let limits = configuration.streams
        let payload = header.payloadRange(in: packet.count)
        let placement = receiving.update(index) {
            $0.receive(
                header, payloadLength: payload.count, viaRTX: isRTX, codec: codec, arrival: arrival, now: now,
                limits: limits)
        }
        guard case .fresh(let sequence, let repaired) = placement else { return }
        if receiving.takeLostTooMuch(index) { askForKeyFrame(index, now, outbox) }
        receiving.complete(&extensions, index)
        let received = ReceivedRTP(
            header: header, extensions: extensions, line: receiving.streams[index].line, payload: payload,
            sequence: sequence, isRetransmission: repaired, arrival: arrival)
        outbox.events.append(.rtp(received))
        scheduleReports(now)
    }

    private mutating func countUnresolved(_ resolution: ReceiveStreams.Resolution) {
        switch resolution {
        case .unknownPayloadType: statistics.unknownPayloadTypes += 1
        case .refused: statistics.refusedStreams += 1
        case .orphan: statistics.orphanRetransmissions += 1
        case .stream: break
        }
    }
}
