import RTCCore
import RTCWire

/// Packets of our own making.
extension Consumer {
    /// Begins the black pictures that a stream ends in, so that the subscriber doesn't go on showing the last one; false
    /// where none are needed. The rest is for `fill`.
    mutating func fillBlack(_ producer: borrowing Producer, now: Instant, into outbox: inout ForwardingOutbox) -> Bool {
        let isShown = layer != nil && isFlowing(producer)
        layer = nil
        if isShown, producer.codec == .vp8 { startFiller(.black, producer, now: now, &outbox) }
        return filler != nil
    }

    /// The sound has stopped: a second of silence lets the subscriber's playout come to rest.
    mutating func fillSilence(_ producer: borrowing Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        if producer.codec == .opus { startFiller(.silence, producer, now: now, &outbox) }
    }

    private mutating func startFiller(
        _ content: Filler.Content, _ producer: borrowing Producer, now: Instant, _ outbox: inout ForwardingOutbox
    ) {
        guard munger.hasStarted else { return }
        filler = Filler(content, now: now)
        fill(producer, now: now, into: &outbox)
    }

    /// Sends what is due of the filler.
    mutating func fill(_ producer: borrowing Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        while var filler = self.filler, filler.due <= now {
            let step = filler.takeStep(now: now, elapsed: now - lastArrival, clockRate: producer.clockRate)
            self.filler = filler.isOver ? nil : filler
            sendFiller(filler.content, timestampStep: step, &outbox)
            if step > 0 { lastArrival = now }
        }
    }

    private mutating func sendFiller(
        _ content: Filler.Content, timestampStep: UInt32, _ outbox: inout ForwardingOutbox
    ) {
        guard let length = writeFiller(content, into: outbox.reserve()) else { return }
        let place = munger.insert(timestampStep: timestampStep)
        let isRedundant = content == .silence && configuration.redundancyPayloadType != nil
        outbox.append(
            copy(
                .filler, configuration.ssrc,
                isRedundant ? configuration.redundancyPayloadType ?? 0 : configuration.payloadType,
                UInt16(truncatingIfNeeded: place.sequence), place.timestamp, true, ForwardedCopy.Extensions(),
                outbox.commit(length), RTPOpaqueElements.none))
    }

    /// Writes the payload and gives its length; nil where the stream can't have one.
    private mutating func writeFiller(_ content: Filler.Content, into room: UnsafeMutableRawBufferPointer) -> Int? {
        var length = 0
        switch content {
        case .silence:
            // Alone in a packet with redundancy: the header of its block (RFC 2198 section 3).
            if configuration.redundancyPayloadType != nil {
                Consumer.append([configuration.payloadType & 0x7f], to: room, &length)
            }
            Consumer.append(Filler.opusSilence, to: room, &length)
        case .black:
            guard let descriptor = pictures.nextVP8() else { return nil }
            length = descriptor.write(into: room)
            Consumer.append(Filler.vp8Black, to: room, &length)
        }
        Consumer.append(configuration.fillerTrailer, to: room, &length)
        return length
    }

    private static func append(_ bytes: [UInt8], to room: UnsafeMutableRawBufferPointer, _ length: inout Int) {
        for byte in bytes.prefix(room.count - length) {
            room[length] = byte
            length += 1
        }
    }
}
