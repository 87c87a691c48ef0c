import RTCWire

extension Peer {
    /// Adds an outgoing stream, in place of one with the same SSRC. It may be added before the connection stands.
    package mutating func addSendStream(_ stream: SendStreamConfiguration) {
        sending.add(
            SendStream(
                stream, firstSequence: UInt16.random(in: 0..<0x8000, using: &random),
                firstRTXSequence: UInt16.random(in: 0..<0x8000, using: &random)))
    }

    /// Ends an outgoing stream; with `sendBye` the other side is told.
    package mutating func removeSendStream(ssrc: UInt32, sendBye: Bool = true, now: Instant, into outbox: Outbox) {
        flushLast(now, outbox)
        guard let stream = sending.remove(ssrc: ssrc), sendBye, stream.lastSent != nil else { return }
        sendGoodbye([stream], now, outbox)
    }

    /// The configurations of all outgoing streams, in the order they were added.
    package var sendStreams: [SendStreamConfiguration] { sending.streams.map(\.configuration) }

    /// The largest payload, prefix included, that `send` and `forward` take on this stream, in bytes; 0 for an unknown SSRC.
    ///
    /// Leaves room for every negotiated extension we write, for RTX's two bytes and for the SRTP tag.
    package func maximumPayload(ssrc: UInt32) -> Int {
        guard let index = sending.index(ssrc: ssrc) else { return 0 }
        let stream = sending.streams[index]
        var extensions = RTPExtensions()
        extensions.mid = stream.configuration.mid
        extensions.rid = stream.configuration.rid
        extensions.audioLevel = AudioLevel(level: 0, voice: false)
        extensions.absSendTime = 0
        extensions.transportSequenceNumber = 0
        extensions.absCaptureTime = AbsoluteCaptureTime(ntp: 0, clockOffset: 0)
        extensions.playoutDelay = PlayoutDelay(minimum: 0, maximum: 0)
        extensions.videoOrientation = 0
        let header = RTPHeader.fixedLength + extensions.encodedLength(map: stream.configuration.extensionMap)
        let tag = srtpProfile?.rtpOverhead ?? configuration.largestRTPOverhead
        return max(0, configuration.maximumDatagram - header - tag - (stream.usesRTX ? RTX.headerLength : 0))
    }

    /// Sends a packet of a stream that we number ourselves, and keeps it for retransmission.
    ///
    /// - Parameters:
    ///   - timestamp: in units of the stream's clock rate.
    ///   - captured: the moment that `timestamp` stands for; nil takes `now`. Sender reports are drawn from it.
    ///   - payloadType: where it isn't the stream's own.
    ///   - payload: at most `maximumPayload(ssrc:)` bytes.
    /// - Returns: the sequence number, or nil where nothing was sent: not connected, unknown SSRC, or too large.
    @discardableResult
    package mutating func send(
        ssrc: UInt32, payloadType: UInt8? = nil, marker: Bool, timestamp: UInt32, captured: Instant? = nil,
        extensions: RTPExtensions = RTPExtensions(), payload: UnsafeRawBufferPointer, now: Instant,
        into outbox: Outbox
    ) -> UInt16? {
        guard let destination = mediaDestination, let index = sending.index(ssrc: ssrc) else { return unsent() }
        var extensions = extensions
        let moment = captured ?? now
        if extensions.absCaptureTime == nil,
            sending.streams[index].configuration.extensionMap.id(for: .absCaptureTime) != 0,
            sending.update(index, { $0.takesCaptureTime(moment) })
        {
            extensions.absCaptureTime = AbsoluteCaptureTime(ntp: clock.timestamp(moment))
        }
        let sequence = sending.streams[index].nextSequence
        let packet = OutgoingRTP(
            ssrc: ssrc, payloadType: payloadType ?? sending.streams[index].configuration.payloadType,
            marker: marker, sequenceNumber: sequence, timestamp: timestamp, extensions: extensions)
        let empty = UnsafeRawBufferPointer(start: nil, count: 0)
        guard write(packet, empty, payload, stream: index, to: destination, keep: true, now, outbox) else {
            return unsent()
        }
        sending.update(index) { _ = $0.takeSequence() }
        count(index, timestamp, moment, payload.count, now)
        return sequence
    }

    /// Sends a packet that the caller numbered: forwarding. The packet is written once, into the outbox, and sealed there.
    /// A stream with a cache of its own keeps the sealed packet and answers NACKs with it.
    ///
    /// - Parameters:
    ///   - packet: its SSRC is a stream's, or that of a stream's retransmissions.
    ///   - prefix: what goes before `payload`: a rewritten payload descriptor, an RTX sequence number.
    /// - Returns: false where nothing was sent: not connected, unknown SSRC, too large, or a sequence number sealed before.
    @discardableResult
    package mutating func forward(
        _ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer, now: Instant,
        into outbox: Outbox
    ) -> Bool {
        guard let destination = mediaDestination, let binding = sending.binding(packet.ssrc) else {
            return unsent() != nil
        }
        let keep = !binding.isRTX && !sending.streams[binding.index].isExternal
        guard write(packet, prefix, payload, stream: binding.index, to: destination, keep: keep, now, outbox) else {
            return unsent() != nil
        }
        if binding.isRTX {
            let length = max(0, prefix.count + payload.count - RTX.headerLength)
            sending.update(binding.index) {
                $0.statistics.retransmitted += 1
                $0.statistics.retransmittedBytes += length
            }
        } else {
            count(binding.index, packet.timestamp, now, prefix.count + payload.count, now)
        }
        return true
    }

    private mutating func unsent() -> UInt16? {
        statistics.unsentPackets += 1
        return nil
    }

    private mutating func count(
        _ index: Int, _ timestamp: UInt32, _ captured: Instant, _ payloadLength: Int, _ now: Instant
    ) {
        sending.update(index) {
            $0.countSent(timestamp: timestamp, captured: captured, payloadLength: payloadLength, now: now)
        }
        // The first report goes out early: without it nobody can line up audio with video.
        guard sending.streams[index].statistics.packets == 1, configuration.rtcp.writesSenderReports else { return }
        nextReport = min(nextReport, now + .milliseconds(20))
    }

    /// Writes, keeps and seals one packet in the outbox.
    private mutating func write(
        _ packet: OutgoingRTP, _ prefix: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, stream index: Int,
        to destination: TransportAddress, keep: Bool, _ now: Instant, _ outbox: Outbox
    ) -> Bool {
        let target = outbox.reserve(configuration.maximumDatagram)
        var extensions = packet.extensions
        complete(&extensions, index, now)
        let offset = RTPHeader.write(
            marker: packet.marker, payloadType: packet.payloadType, sequenceNumber: packet.sequenceNumber,
            timestamp: packet.timestamp, ssrc: packet.ssrc, extensions: extensions, opaque: packet.opaque,
            map: sending.streams[index].configuration.extensionMap, into: target)
        let length = offset + prefix.count + payload.count
        guard offset > 0, let overhead = srtpProfile?.rtpOverhead,
            length + overhead <= configuration.maximumDatagram
        else { return false }
        target.suffix(from: offset).copyMemory(from: prefix)
        target.suffix(from: offset + prefix.count).copyMemory(from: payload)
        let keepsPlain = keep && sending.streams[index].usesRTX
        if keepsPlain { self.keep(target, length, packet.sequenceNumber, index, now) }
        let isRepetition = packet.ssrc != sending.streams[index].ssrc
        if isPacing {
            let waiting = PacedPacket(
                stream: sending.streams[index].ssrc, sequence: isRepetition ? nil : packet.sequenceNumber,
                isRepetition: isRepetition, isKeptSealed: keep && !keepsPlain, payloadOffset: offset, length: length,
                queued: now)
            if hold(target, waiting, stream: index, now, outbox) { return true }
        }
        guard let sealed = srtp?.protectRTP(target, length: length, payloadOffset: offset) else { return false }
        if keep, !keepsPlain { self.keep(target, sealed, packet.sequenceNumber, index, now) }
        noteSent(sealed, stream: index, isRepetition ? nil : packet.sequenceNumber, now)
        commit(sealed, to: destination, outbox, urgency: urgency(ofStream: index, isRepetition: isRepetition))
        return true
    }

    mutating func keep(
        _ buffer: UnsafeMutableRawBufferPointer, _ length: Int, _ sequence: UInt16, _ index: Int, _ now: Instant
    ) {
        // Audio is small, and there are many streams of it.
        let slotSize = min(
            configuration.maximumDatagram, sending.streams[index].configuration.kind == .audio ? 640 : .max)
        sending.update(index) {
            $0.keep(
                UnsafeRawBufferPointer(rebasing: buffer[..<length]), sequence: sequence, slotSize: slotSize, now: now)
        }
    }

    /// Adds the extensions that are the connection's own.
    func complete(_ extensions: inout RTPExtensions, _ index: Int, _ now: Instant) {
        let map = sending.streams[index].configuration.extensionMap
        extensions.mid = sending.streams[index].configuration.mid
        if let rid = sending.streams[index].configuration.rid { extensions.rid = rid }
        extensions.absSendTime = map.id(for: .absSendTime) == 0 ? nil : clock.absoluteSendTime(now)
        extensions.transportSequenceNumber =
            map.id(for: .transportSequenceNumber) == 0 ? nil : sentPackets.nextNumber
    }

    /// Audio leaves first, and what is sent again last.
    func urgency(ofStream index: Int, isRepetition: Bool) -> Outbox.Urgency {
        if sending.streams[index].configuration.kind == .audio { return .control }
        return isRepetition ? .repetition : .media
    }

    /// Commits a datagram and counts it.
    mutating func commit(
        _ length: Int, to destination: TransportAddress, _ outbox: Outbox, urgency: Outbox.Urgency = .control
    ) {
        outbox.commit(length, to: destination, path: selectedPath, urgency: urgency)
        statistics.datagramsSent += 1
        statistics.bytesSent += length
    }
}

extension PeerConfiguration {
    var largestRTPOverhead: Int { srtpProfiles.map(\.rtpOverhead).max() ?? 16 }
}
