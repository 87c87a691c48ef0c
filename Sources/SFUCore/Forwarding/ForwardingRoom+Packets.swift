import RTCCore
import RTCWire

/// What comes from publishers, and what the clock brings.
extension ForwardingRoom {
    /// Takes a packet of a track and puts a copy for each of those who get it into the outbox.
    ///
    /// - Parameter buffer: the datagram that the packet points into; copies do, too.
    package mutating func receive(
        _ received: borrowing ReceivedRTP, in buffer: UnsafeRawBufferPointer, from id: ProducerID,
        into outbox: inout ForwardingOutbox
    ) {
        guard let producer = producers.index(of: id.slot),
            let (layer, format) = producers[producer].place(received, in: buffer)
        else { return }
        var packet = SourcePacket(received, in: buffer, codec: producers[producer].codec, format: format)
        producers[producer].take(&packet, of: layer, into: &outbox)
        distribute(packet, from: layer, of: producer, into: &outbox)
    }

    /// By a function of its own: a packet that may still change would be copied for each consumer.
    private mutating func distribute(
        _ packet: borrowing SourcePacket, from layer: Int, of producer: Int, into outbox: inout ForwardingOutbox
    ) {
        let count = producers[producer].listeners.count
        guard count > 0 else { return }
        let shared = outbox.share(packet)
        for position in 0..<count {
            let consumer = producers[producer].listeners[position]
            consumers[consumer].forward(packet, shared, from: layer, of: &producers[producer], into: &outbox)
        }
    }

    /// A sender report of one of a track's sources: kept; the first one is passed on to those who get that source.
    package mutating func receiveSenderReport(
        ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant, from id: ProducerID,
        into outbox: inout ForwardingOutbox
    ) {
        guard let producer = producers.index(of: id.slot), let layer = producers[producer].layers.index(ssrc: ssrc)
        else {
            return
        }
        let isFirst = producers[producer].layers[layer].clock == nil
        producers[producer].layers[layer].clock = SenderClock(ntp: ntp, timestamp: rtpTimestamp, arrival: arrival)
        guard isFirst else { return }
        for consumer in producers[producer].listeners where consumers[consumer].sentLayer(producers[producer]) == layer
        {
            consumers[consumer].reportEarly(producers[producer], now: arrival, into: &outbox)
        }
    }

    /// The track is muted, or no longer is. While it is nothing is passed on, whatever its publisher sends. Sound ends in a
    /// second of silence; video just stops, and goes on with a key frame.
    package mutating func setMuted(
        _ muted: Bool, _ id: ProducerID, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard let producer = producers.index(of: id.slot), muted != producers[producer].isMuted else { return }
        producers[producer].isMuted = muted
        for consumer in producers[producer].listeners {
            let isHeard = muted && !consumers[consumer].wishes.isPaused
            consumers[consumer].stopOrGoOn(&producers[producer], now: now, into: &outbox)
            guard isHeard else { continue }
            consumers[consumer].fillSilence(producers[producer], now: now, into: &outbox)
            noteFiller(of: consumer)
        }
    }

    /// Asks once for a key frame of each layer that is a second old; to be called some times a second.
    package mutating func requestFirstKeyFrames(now: Instant, into outbox: inout ForwardingOutbox) {
        for index in producers.indices where producers.isTaken(index) && producers[index].codec.kind == .video {
            producers[index].requestFirstKeyFrames(now: now, into: &outbox)
        }
    }

    // MARK: Time

    /// Has `advance` called for what a consumer still has to send of its own making.
    mutating func noteFiller(of consumer: Int) {
        guard let due = consumers[consumer].filler?.due else { return }
        let id = consumers[consumer].id
        if !filling.contains(id) { filling.append(id) }
        nextDeadline = min(nextDeadline, due)
    }

    /// Does what is due.
    package mutating func advance(to now: Instant, into outbox: inout ForwardingOutbox) {
        guard nextDeadline <= now else { return }
        nextDeadline = .distantFuture
        var kept = 0
        for position in filling.indices {
            let id = filling[position]
            guard let (consumer, producer) = find(id) else { continue }
            consumers[consumer].fill(producers[producer], now: now, into: &outbox)
            if let due = consumers[consumer].filler?.due {
                nextDeadline = min(nextDeadline, due)
                filling[kept] = id
                kept += 1
            } else {
                outbox.append(FillerEnd(consumer: id, connection: consumers[consumer].connection))
            }
        }
        filling.removeLast(filling.count - kept)
    }

    // MARK: What is known of a track

    /// The streams of a track, low to high.
    package func layers(of id: ProducerID) -> [LayerReport] {
        guard let producer = producers.index(of: id.slot), !producers[producer].isClosed else { return [] }
        return producers[producer].layers.order.map { LayerReport(producers[producer].layers[$0]) }
    }

    /// Those of them that are still sent.
    package func liveLayers(of id: ProducerID, now: Instant) -> [LayerReport] {
        guard let producer = producers.index(of: id.slot), !producers[producer].isClosed else { return [] }
        return producers[producer].layers.order.filter { producers[producer].layers.isAlive($0, now) }
            .map { LayerReport(producers[producer].layers[$0]) }
    }

    /// How loud a track is, linear, 0...1.
    package func loudness(of id: ProducerID, now: Instant) -> Double {
        producers.index(of: id.slot).map { producers[$0].speaker.level(now: now) } ?? 0
    }
}
