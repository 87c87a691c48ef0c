import RTCWire

/// Making packets: control chunks, acknowledgements, skipped and lost data, then new data (RFC 9260 sections 6.1, 6.10).
extension SCTPAssociation {
    /// A packet with one chunk, outside all rules of congestion.
    mutating func sendAlone(_ chunk: SCTPChunk, tag: UInt32, _ output: inout SCTPOutput) {
        var writer = writer(tag)
        writer.add(chunk)
        emit(writer, &output)
    }

    private func writer(_ tag: UInt32) -> SCTPPacketWriter {
        let header = SCTPCommonHeader(
            sourcePort: SCTPConfiguration.localPort, destinationPort: remotePort, verificationTag: tag)
        return SCTPPacketWriter(header: header, limit: configuration.maximumPacket)
    }

    private mutating func emit(_ writer: consuming SCTPPacketWriter, _ output: inout SCTPOutput) {
        statistics.packetsSent += 1
        output.packets.append(writer.finish())
    }

    /// Sends all that may be sent now.
    mutating func flush(_ now: Instant, _ output: inout SCTPOutput) {
        guard closure == nil, let tag = transfer?.peerTag else { return }
        if case .cookieEchoed = state { return }
        var low: [UInt16] = []
        transfer?.abandonExhausted(&queue, now, &low)
        beginReset(now)
        var burst = 0
        while burst < configuration.maximumBurst {
            var writer = writer(tag)
            addControls(&writer)
            addSkip(&writer)
            addAcknowledgement(&writer)
            let count = addData(&writer, now, &low)
            if writer.isEmpty { break }
            if count > 0 { burst += 1 }
            emit(writer, &output)
        }
        transfer?.mayResendNow = false
        startRetransmissionTimer(now)
        advanceShutdown(now, &output)
        for stream in low { output.events.append(.bufferedAmountLow(stream: stream)) }
    }

    private mutating func addControls(_ writer: inout SCTPPacketWriter) {
        while let chunk = controls.first {
            let length = chunk.encodedLength
            // What no packet could hold is nothing that we would have made.
            guard length <= writer.room else {
                if writer.isEmpty { controls.removeFirst() }
                return
            }
            writer.add(controls.removeFirst())
        }
    }

    private mutating func addSkip(_ writer: inout SCTPPacketWriter) {
        guard transfer?.isSkipDue == true, writer.room > 64 else { return }
        transfer?.isSkipDue = false
        guard transfer?.outstanding.mustSkip == true, let chunk = transfer?.outstanding.skip(room: writer.room) else {
            return
        }
        statistics.forwardTSNsSent += 1
        writer.add(.forwardTSN(chunk))
    }

    /// An acknowledgement that is not due yet travels with data.
    private mutating func addAcknowledgement(_ writer: inout SCTPPacketWriter) {
        guard writer.room > 64, let tracker = transfer?.tracker, let window = transfer?.window(configuration),
            tracker.isAcknowledgementDue || tracker.isAcknowledgementPending && sendsData && hasData
        else { return }
        // Gap blocks leave half of the packet to data.
        guard let sack = transfer?.tracker.acknowledge(window: window, room: min(writer.room, 512)) else { return }
        timers.stop(.acknowledgement)
        writer.add(.sack(sack))
    }

    /// Fills up with data; gives the number of chunks.
    private mutating func addData(_ writer: inout SCTPPacketWriter, _ now: Instant, _ low: inout [UInt16]) -> Int {
        var count = 0
        // A message doesn't begin in what little room is left where it has a packet to itself.
        while let length = nextLength, length + DataChunk.headerLength <= writer.room || writer.room > 256,
            let chunk = draw(writer.room, now, &low)
        {
            writer.add(.data(chunk))
            count += 1
            // One packet may break the window's rule.
            if writer.room < 64 { break }
        }
        if count > 0 { transfer?.mayResendNow = false }
        return count
    }

    private var nextLength: Int? {
        guard let outstanding = transfer?.outstanding else { return nil }
        return outstanding.lostCount > 0 ? 1 : queue.nextLength
    }

    /// One chunk of at most `room` bytes that may go out now.
    private mutating func draw(_ room: Int, _ now: Instant, _ low: inout [UInt16]) -> DataChunk? {
        guard sendsData else { return nil }
        let wasLost = (transfer?.outstanding.lostCount ?? 0) > 0
        let payload = room - DataChunk.headerLength
        guard let chunk = transfer?.nextData(room: payload, &queue, now, &low) else { return nil }
        statistics.dataChunksSent += 1
        if wasLost { statistics.dataChunksResent += 1 }
        return chunk
    }

    private var hasData: Bool { transfer?.hasData(queue) ?? false }

    private var sendsData: Bool {
        switch state {
        case .established, .shutdownPending, .shutdownReceived: true
        case .closed, .cookieWait, .cookieEchoed, .shutdownSent, .shutdownAckSent: false
        }
    }
}
