import RTCCore
import RTCWire

/// Packets of our own making.
extension Consumer {
    /// Something is still to be sent by `fill`.
    package var isFilling: Bool { filler != nil }

    /// Leaves the producer for good. True where black pictures follow, so that the subscriber doesn't go on showing the
    /// last one; `fill` sends them.
    package func end(now: Instant) -> Bool {
        let isShown = layer != nil && isFlowing
        stop()
        if isShown, producer.codec == .vp8 { startFiller(.black, now: now) }
        return isFilling
    }

    /// The sound has stopped: a second of silence lets the subscriber's playout come to rest.
    func fillSilence(now: Instant) {
        if producer.codec == .opus { startFiller(.silence, now: now) }
    }

    private func startFiller(_ content: Filler.Content, now: Instant) {
        guard munger.hasStarted else { return }
        filler = Filler(content, now: now)
        fill(now: now)
    }

    /// Sends what is due of the filler, and has itself called again for the rest.
    package func fill(now: Instant) {
        while var filler = self.filler, filler.due <= now {
            let step = filler.takeStep(now: now, elapsed: now - lastArrival, clockRate: producer.clockRate)
            self.filler = filler.isOver ? nil : filler
            sendFiller(filler.content, timestampStep: step)
            if step > 0 { lastArrival = now }
        }
        if let filler { sink.wake(self, at: filler.due) }
    }

    private func sendFiller(_ content: Filler.Content, timestampStep: UInt32) {
        guard let length = writeFiller(content) else { return }
        let place = munger.insert(timestampStep: timestampStep)
        let isRedundant = content == .silence && configuration.redundancyPayloadType != nil
        let header = OutgoingRTP(
            ssrc: configuration.ssrc,
            payloadType: isRedundant ? configuration.redundancyPayloadType ?? 0 : configuration.payloadType,
            marker: true, sequenceNumber: UInt16(truncatingIfNeeded: place.sequence), timestamp: place.timestamp)
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        _ = sink.forward(header, prefix: UnsafeRawBufferPointer(rebasing: scratch[..<length]), payload: nothing)
    }

    /// Writes the payload into the scratch memory and gives its length; nil where the stream can't have one.
    private func writeFiller(_ content: Filler.Content) -> Int? {
        var length = 0
        switch content {
        case .silence:
            // Alone in a packet with redundancy: the header of its block (RFC 2198 section 3).
            if configuration.redundancyPayloadType != nil { append([configuration.payloadType & 0x7f], &length) }
            append(Filler.opusSilence, &length)
        case .black:
            guard let descriptor = pictures.nextVP8() else { return nil }
            length = descriptor.write(into: scratch)
            append(Filler.vp8Black, &length)
        }
        append(configuration.fillerTrailer, &length)
        return length
    }

    private func append(_ bytes: [UInt8], _ length: inout Int) {
        for byte in bytes.prefix(scratch.count - length) {
            scratch[length] = byte
            length += 1
        }
    }
}
