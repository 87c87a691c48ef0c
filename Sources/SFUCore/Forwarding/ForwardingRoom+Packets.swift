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
            let (layer, format) = producers[producer].pointee.place(received, in: buffer)
        else { return }
        var packet = SourcePacket(received, in: buffer, codec: producers[producer].pointee.codec, format: format)
        producers[producer].pointee.take(&packet, of: layer, into: &outbox)
        distribute(packet, from: layer, of: producer, into: &outbox)
        if producers[producer].pointee.knowsCopies { producers[producer].pointee.recent.keep(packet) }
    }

    /// By a function of its own: a packet that may still change would be copied for each consumer.
    private mutating func distribute(
        _ packet: borrowing SourcePacket, from layer: Int, of producer: Int, into outbox: inout ForwardingOutbox
    ) {
        let count = producers[producer].pointee.listeners.count
        guard count > 0 else { return }
        let shared = outbox.share(packet)
        for position in 0..<count {
            let consumer = producers[producer].pointee.listeners[position]
            consumers[consumer].pointee.forward(
                packet, shared, from: layer, of: &producers[producer].pointee, into: &outbox)
        }
    }

    /// A sender report of one of a track's sources: kept; the first one is passed on to those who get that source.
    package mutating func receiveSenderReport(
        ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32, arrival: Instant, from id: ProducerID,
        into outbox: inout ForwardingOutbox
    ) {
        guard let producer = producers.index(of: id.slot),
            let layer = producers[producer].pointee.layers.index(ssrc: ssrc)
        else {
            return
        }
        let isFirst = producers[producer].pointee.layers[layer].pointee.clock == nil
        producers[producer].pointee.layers[layer].pointee.clock = SenderClock(
            ntp: ntp, timestamp: rtpTimestamp, arrival: arrival)
        guard isFirst else { return }
        for consumer in producers[producer].pointee.listeners
        where consumers[consumer].pointee.sentLayer(producers[producer].pointee) == layer {
            consumers[consumer].pointee.reportEarly(producers[producer].pointee, now: arrival, into: &outbox)
        }
    }

    /// The track is muted, or no longer is. While it is nothing is passed on, whatever its publisher sends. Sound ends in a
    /// second of silence; video just stops, and goes on with a key frame.
    package mutating func setMuted(
        _ muted: Bool, _ id: ProducerID, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard let producer = producers.index(of: id.slot), muted != producers[producer].pointee.isMuted else { return }
        producers[producer].pointee.isMuted = muted
        producers[producer].pointee.recent.forget()
        for consumer in producers[producer].pointee.listeners {
            let isHeard = muted && !consumers[consumer].pointee.wishes.isPaused
            consumers[consumer].pointee.stopOrGoOn(&producers[producer].pointee, now: now, into: &outbox)
            guard isHeard else { continue }
            consumers[consumer].pointee.fillSilence(producers[producer].pointee, now: now, into: &outbox)
            noteFiller(of: consumer)
        }
    }

    /// Asks once for a key frame of each layer that is a second old; to be called some times a second.
    package mutating func requestFirstKeyFrames(now: Instant, into outbox: inout ForwardingOutbox) {
        for index in producers.indices where producers.isTaken(index) && producers[index].pointee.codec.kind == .video {
            producers[index].pointee.requestFirstKeyFrames(now: now, into: &outbox)
        }
    }

    // MARK: Time

    /// Has `advance` called for what a consumer still has to send of its own making.
    mutating func noteFiller(of consumer: Int) {
        guard let due = consumers[consumer].pointee.filler?.due else { return }
        let id = consumers[consumer].pointee.id
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
            consumers[consumer].pointee.fill(producers[producer].pointee, now: now, into: &outbox)
            if let due = consumers[consumer].pointee.filler?.due {
                nextDeadline = min(nextDeadline, due)
                filling[kept] = id
                kept += 1
            } else {
                outbox.append(FillerEnd(consumer: id, connection: consumers[consumer].pointee.connection))
            }
        }
        filling.removeLast(filling.count - kept)
    }

    // MARK: What is known of a track

    /// The streams of a track, low to high.
    package func layers(of id: ProducerID) -> [LayerReport] {
        guard let producer = producers.index(of: id.slot), !producers[producer].pointee.isClosed else { return [] }
        return producers[producer].pointee.layers.order.map {
            LayerReport(producers[producer].pointee.layers[$0].pointee)
        }
    }

    /// Those of them that are still sent.
    package func liveLayers(of id: ProducerID, now: Instant) -> [LayerReport] {
        guard let producer = producers.index(of: id.slot), !producers[producer].pointee.isClosed else { return [] }
        return producers[producer].pointee.layers.order.filter { producers[producer].pointee.layers.isAlive($0, now) }
            .map { LayerReport(producers[producer].pointee.layers[$0].pointee) }
    }

    /// How loud a track is, linear, 0...1.
    package func loudness(of id: ProducerID, now: Instant) -> Double {
        producers.index(of: id.slot).map { producers[$0].pointee.speaker.level(now: now) } ?? 0
    }
}
