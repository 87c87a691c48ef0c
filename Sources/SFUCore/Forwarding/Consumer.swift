import RTCCore
import RTCWire

/// One subscriber's copy of a producer: which packets it gets, and under which numbers.
///
/// It keeps no packet. `forward` writes a rewritten payload descriptor of a few bytes and hands it on with the shared
/// payload; a packet that is asked for again is made again from the producer's ring.
struct Consumer: ~Copyable {
    private(set) var configuration: ConsumerConfiguration
    private(set) var producer: ProducerID
    let connection: ConnectionID
    /// Known once it has a place in the room.
    var id = ConsumerID(slot: .none)
    var wishes = ConsumerWishes()
    /// The layer that is sent.
    var layer: LayerID?
    var munger: RTPMunger
    var pictures = PictureMunger()
    var filter = LayerFilter()
    var lastArrival: Instant = .zero
    var filler: Filler?
    var repetitions: Repetitions
    var refresh = KeyFrameRefresh()
    /// Packets that were sent for the first time, and their payload bytes.
    var sent = (packets: 0, bytes: 0)
    /// When the first packet that was sent came in; nil before.
    private(set) var began: Instant?
    private let lent = AddressOnly()

    init(_ configuration: ConsumerConfiguration, of producer: ProducerID, to connection: ConnectionID) {
        self.configuration = configuration
        self.producer = producer
        self.connection = connection
        munger = RTPMunger(firstSequence: configuration.firstSequence)
        repetitions = Repetitions(firstSequence: configuration.firstRTXSequence)
    }

    /// Goes on with another producer's packets, in the same rows of numbers.
    mutating func follow(_ producer: ProducerID, _ configuration: ConsumerConfiguration) {
        self.producer = producer
        self.configuration = configuration
        layer = nil
        filler = nil
        filter = LayerFilter()
        refresh = KeyFrameRefresh()
        munger.leaveSource()
    }

    func isFlowing(_ producer: borrowing Producer) -> Bool { !wishes.isPaused && !producer.isMuted }

    // MARK: Packets

    /// Sends a packet on, where this consumer is to have it.
    ///
    /// - Parameter shared: where the outbox holds the packet's extensions.
    mutating func forward(
        _ packet: borrowing SourcePacket, _ shared: Int32, from layer: Int, of producer: inout Producer,
        into outbox: inout ForwardingOutbox
    ) {
        guard isFlowing(producer) else { return }
        if producer.layers.id(at: layer) != self.layer {
            guard mayBegin(with: packet, of: layer, &producer, &outbox) else { return }
            begin(with: packet, of: layer, producer, &outbox)
        } else if munger.isJump(packet.sequence) {
            guard packet.startsKeyFrame else { return producer.requestKeyFrame(of: layer, into: &outbox) }
            begin(with: packet, of: layer, producer, &outbox)
        }
        pass(packet, shared, of: layer, &producer, &outbox)
    }

    private func mayBegin(
        with packet: borrowing SourcePacket, of layer: Int, _ producer: inout Producer, _ outbox: inout ForwardingOutbox
    ) -> Bool {
        guard !packet.payload.isEmpty,
            producer.bestLayer(limit: wishes.spatialLimit, now: packet.arrival) == layer
        else { return false }
        if !packet.startsKeyFrame { producer.requestKeyFrame(of: layer, into: &outbox) }
        return packet.startsKeyFrame
    }

    private mutating func begin(
        with packet: borrowing SourcePacket, of layer: Int, _ producer: borrowing Producer,
        _ outbox: inout ForwardingOutbox
    ) {
        let id = producer.layers.id(at: layer)
        var numbering = Numbering(source: 0, out: 0, timestampOffset: 0)
        if munger.hasStarted {
            let isSame = munger.layer == id
            // The key frame of a smaller layer needs nothing of the larger one, for which there may be no room.
            if let old = munger.layer.flatMap({ producer.layers.index(of: $0) }),
                producer.layers[layer].pointee.rank < producer.layers[old].pointee.rank
            {
                repetitions.forget(upTo: munger.highest)
            }
            let alignment = TimestampAlignment(
                lastTimestamp: munger.lastTimestamp, lastArrival: lastArrival,
                oldOffset: munger.current.timestampOffset, clockRate: producer.clockRate)
            numbering.timestampOffset = alignment.offset(
                of: packet, from: isSame ? nil : clock(of: munger.layer, producer),
                to: producer.layers[layer].pointee.clock,
                isSameSource: isSame)
        }
        if began == nil { began = packet.arrival }
        if configuration.isEncrypted, !munger.hasStarted { refresh.begin(packet.arrival) }
        pictures.begin(packet, &numbering)
        munger.begin(id, at: packet.sequence, offsets: numbering)
        self.layer = id
        refreshLimit(producer)
        filter.begin()
        filler = nil
        reportEarly(producer, now: packet.arrival, into: &outbox)
    }

    private func clock(of layer: LayerID?, _ producer: borrowing Producer) -> SenderClock? {
        guard let layer, let index = producer.layers.index(of: layer) else { return nil }
        return producer.layers[index].pointee.clock
    }

    /// Numbers a packet and sends it, or leaves it out so that no hole is seen.
    private mutating func pass(
        _ packet: borrowing SourcePacket, _ shared: Int32, of layer: Int, _ producer: inout Producer,
        _ outbox: inout ForwardingOutbox
    ) {
        let isNewest = munger.isNewest(packet.sequence)
        if wishes.frameRateLimit != nil, isNewest { refreshLimit(producer) }
        let verdict = filter.judge(packet, of: producer.layers[layer].pointee.contents, isNewest: isNewest)
        let payload = verdict.isTaken ? self.payload(of: packet) : nil
        // What comes too late to be left out is sent on empty.
        if payload?.isEmpty ?? true,
            munger.skip(packet.sequence, pictures: payload == nil ? pictures.leaveOut(packet) : 0)
        {
            return
        }
        guard let place = munger.place(packet.sequence, timestamp: packet.timestamp) else { return }
        lastArrival = packet.arrival
        if packet.startsKeyFrame {
            refresh.noteKeyFrame(packet.arrival)
        } else if refresh.isDue(packet.arrival) {
            producer.requestKeyFrame(of: layer, into: &outbox)
        }
        let taken = TakenPacket(
            payload: payload, shared: shared, numbering: place.numbering, verdict: verdict,
            isNewest: payload != nil && isNewest)
        let copy = write(packet, taken, of: layer, producer, .media(place.sequence), &outbox)
        sent.packets += 1
        sent.bytes += copy.length
        repetitions.note(sent: copy.length, now: packet.arrival)
        producer.statistics.packetsForwarded += 1
        producer.statistics.bytesForwarded += copy.length
        outbox.append(copy)
    }

    /// The payload as this consumer takes it; nil for what it doesn't take at all.
    // Inlined, because a call lends a copy of the whole consumer: it stands in a value that may change.
    @inline(__always)
    private func payload(of packet: borrowing SourcePacket) -> UnsafeRawBufferPointer? {
        switch packet.format {
        case .primary: return packet.payload
        case .event: return configuration.eventPayloadType == nil ? nil : packet.payload
        case .redundant:
            if packet.payload.isEmpty { return packet.payload }
            if configuration.redundancyPayloadType != nil { return packet.payload }
            guard let red = try? RedundantAudio(parsing: packet.payload.bytes),
                let frame = red.block(red.copies, in: packet.payload.bytes)?.range, !frame.isEmpty
            else { return nil }
            return UnsafeRawBufferPointer(rebasing: packet.payload[frame])
        }
    }

    /// Sends what is at hand since a key frame.
    mutating func replay(
        _ range: ClosedRange<Int64>, of layer: Int, _ producer: inout Producer, into outbox: inout ForwardingOutbox
    ) {
        var structure: DependencyStructure?
        let codec = producer.codec
        for sequence in range {
            guard var packet = producer.layers[layer].pointee.ring?.find(sequence, codec: codec) else { continue }
            if packet.needsDependency(codec) { packet.readDependency(&structure) }
            if self.layer == nil { begin(with: packet, of: layer, producer, &outbox) }
            pass(packet, outbox.share(packet), of: layer, &producer, &outbox)
        }
    }

    /// A copy that its connection has refused counts for nothing.
    mutating func noteRefusal(of copy: ForwardedCopy, _ producer: inout Producer, now: Instant) {
        switch copy.kind {
        case .media:
            sent.packets -= 1
            sent.bytes -= copy.length
            repetitions.note(sent: -copy.length, now: now)
            producer.statistics.packetsForwarded -= 1
            producer.statistics.bytesForwarded -= copy.length
            producer.statistics.dropped += 1
        case .repetition:
            repetitions.takeBack(copy.sequenceNumber)
            producer.statistics.retransmissions -= 1
        case .filler: break
        }
    }
}
