import RTCCore
import RTCWire

/// The connection that a consumer's packets leave by.
package protocol ConsumerSink: AnyObject {
    /// Sends a packet whose numbers are set. False where the connection doesn't take it.
    func forward(_ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool
    func sendSenderReport(_ report: ForwardedReport)
    /// Has `consumer.fill` called at that moment.
    func wake(_ consumer: Consumer, at instant: Instant)
}

/// One subscriber's copy of a producer: which packets it gets, and under which numbers.
///
/// It keeps no packet. `forward` writes a rewritten payload descriptor of a few bytes and hands it on with the shared
/// payload; a packet that is asked for again is made again from the producer's ring.
package final class Consumer {
    package let configuration: ConsumerConfiguration
    package let producer: Producer
    /// The largest layer that is wanted: 0 the smallest, 2 the largest.
    package private(set) var layerLimit = 2
    /// Pictures a second that are wanted at most; nil for all.
    package private(set) var frameRateLimit: Int?
    /// What the way to the subscriber has room for.
    package private(set) var allocation = LayerPoint.highest
    /// The subscriber wants nothing for now.
    package private(set) var isPaused = false
    package internal(set) var packets = 0
    package internal(set) var bytes = 0
    let sink: any ConsumerSink
    var layer: ProducerLayer?
    var munger: RTPMunger
    var pictures = PictureMunger()
    var filter = LayerFilter()
    var lastArrival: Instant = .zero
    var filler: Filler?
    private var droppedPicture: UInt16?
    var repetitions: Repetitions
    private var refresh = KeyFrameRefresh()
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 320, alignment: 8)

    package init(_ configuration: ConsumerConfiguration, producer: Producer, sink: any ConsumerSink) {
        self.configuration = configuration
        self.producer = producer
        self.sink = sink
        munger = RTPMunger(firstSequence: configuration.firstSequence)
        repetitions = Repetitions(firstSequence: configuration.firstRTXSequence)
    }

    deinit { scratch.deallocate() }

    // MARK: Wishes

    /// Begins to get packets: from a recent key frame, where all since then is still at hand, else from the next one,
    /// which is asked for.
    package func start(now: Instant) {
        producer.add(self)
        if mayReplay, let best = wantedLayer(now), let range = best.replayable(now: now) {
            return replay(range, of: best)
        }
        requestKeyFrame(now: now)
    }

    /// Media that is encrypted end to end waits for a key frame of its own: its receiver makes ready to decrypt only now, and
    /// what comes in one go meanwhile is lost to it.
    private var mayReplay: Bool {
        !munger.hasStarted && isFlowing && !configuration.isEncrypted && configuration.replaysRecent
    }

    package func stop() {
        producer.remove(self)
        layer = nil
    }

    /// Stops the packets for a while. Video goes on with a key frame, under the next numbers.
    package func setPaused(_ paused: Bool, now: Instant) {
        guard paused != isPaused else { return }
        isPaused = paused
        stopOrGoOn(now)
    }

    func stopOrGoOn(_ now: Instant) {
        layer = nil
        filler = nil
        if isFlowing { requestKeyFrame(now: now) }
    }

    var isFlowing: Bool { !isPaused && !producer.isMuted }

    /// Wants no larger layer than this one; the change comes with that layer's next key frame, which is asked for.
    package func setLayerLimit(_ limit: Int, now: Instant) {
        guard limit != layerLimit else { return }
        layerLimit = limit
        limitsChanged(now)
    }

    /// Wants no more pictures a second than this, where the stream has temporal layers.
    package func setFrameRateLimit(_ limit: Int?, now: Instant) {
        guard limit != frameRateLimit else { return }
        frameRateLimit = limit
        limitsChanged(now)
    }

    /// Says what the way to the subscriber has room for.
    package func setAllocation(_ point: LayerPoint, now: Instant) {
        guard point != allocation else { return }
        allocation = point
        limitsChanged(now)
    }

    /// The layer that is sent, as `layerLimit` counts; nil while nothing is.
    package var currentLayer: Int? { layer.map { max($0.rank, filter.current.spatial) } }
    /// The highest temporal layer that is sent.
    package var currentTemporalLayer: Int { filter.current.temporal }

    private var spatialLimit: Int { min(layerLimit, allocation.spatial) }

    private func wantedLayer(_ now: Instant) -> ProducerLayer? { producer.bestLayer(limit: spatialLimit, now: now) }

    private func limitsChanged(_ now: Instant) {
        refreshLimit()
        guard isFlowing, let best = wantedLayer(now) else { return }
        // A larger spatial layer of one stream begins with a key frame too, or where the codec says it can.
        let isRaised = best.spatialLayers > 1 && filter.current.spatial < min(spatialLimit, best.spatialLayers - 1)
        if best !== layer || isRaised || filter.needsKeyFrame(of: best) { producer.requestKeyFrame(of: best) }
    }

    private func refreshLimit() {
        var temporal = allocation.temporal
        if let frameRateLimit, let layer {
            temporal = min(temporal, layer.temporalRates.layer(covering: Double(frameRateLimit)))
        }
        filter.limit = LayerPoint(spatial: spatialLimit, temporal: temporal)
    }

    /// The subscriber can't go on without a key frame.
    package func requestKeyFrame(now: Instant) {
        guard let layer = layer ?? wantedLayer(now) ?? producer.layers.last else { return }
        producer.requestKeyFrame(of: layer)
    }

    // MARK: Packets

    /// Sends a packet on, where this consumer is to have it. Allocates nothing.
    func forward(_ packet: SourcePacket, from layer: ProducerLayer) {
        guard isFlowing else { return }
        if layer !== self.layer {
            guard mayBegin(with: packet, of: layer) else { return }
            begin(with: packet, of: layer)
        } else if munger.isJump(packet.sequence) {
            guard packet.startsKeyFrame else { return producer.requestKeyFrame(of: layer) }
            begin(with: packet, of: layer)
        }
        pass(packet, of: layer)
    }

    private func replay(_ range: ClosedRange<Int64>, of layer: ProducerLayer) {
        var structure: DependencyStructure?
        for sequence in range {
            guard var packet = layer.ring?.find(sequence, codec: producer.codec) else { continue }
            if packet.needsDependency(producer.codec) { packet.readDependency(&structure) }
            if self.layer == nil { begin(with: packet, of: layer) }
            pass(packet, of: layer)
        }
    }

    private func mayBegin(with packet: SourcePacket, of layer: ProducerLayer) -> Bool {
        guard !packet.payload.isEmpty, wantedLayer(packet.arrival) === layer else { return false }
        if !packet.startsKeyFrame { producer.requestKeyFrame(of: layer) }
        return packet.startsKeyFrame
    }

    private func begin(with packet: SourcePacket, of layer: ProducerLayer) {
        var numbering = Numbering(source: 0, out: 0, timestampOffset: 0)
        if munger.hasStarted {
            let old = munger.layer
            let alignment = TimestampAlignment(
                lastTimestamp: munger.lastTimestamp, lastArrival: lastArrival,
                oldOffset: munger.current.timestampOffset, clockRate: producer.clockRate)
            numbering.timestampOffset = alignment.offset(
                of: packet, from: old === layer ? nil : old?.clock, to: layer.clock, isSameSource: old === layer)
        }
        if configuration.isEncrypted, !munger.hasStarted { refresh.begin(packet.arrival) }
        pictures.begin(packet, &numbering)
        munger.begin(layer, at: packet.sequence, offsets: numbering)
        self.layer = layer
        refreshLimit()
        filter.begin()
        filler = nil
        reportEarly(now: packet.arrival)
    }

    /// Numbers a packet and sends it, or leaves it out so that no hole is seen.
    private func pass(_ packet: SourcePacket, of layer: ProducerLayer) {
        let isNewest = munger.isNewest(packet.sequence)
        if frameRateLimit != nil, isNewest { refreshLimit() }
        let verdict = filter.judge(packet, of: layer, isNewest: isNewest)
        let payload = self.payload(of: packet)
        let isLeftOut = !verdict.isTaken || payload == nil
        // What comes too late to be left out is sent on empty.
        if isLeftOut || packet.payload.isEmpty,
            munger.skip(packet.sequence, pictures: isLeftOut ? droppedPictures(packet) : 0)
        {
            return
        }
        guard let place = munger.place(packet.sequence, timestamp: packet.timestamp) else { return }
        lastArrival = packet.arrival
        if packet.startsKeyFrame {
            refresh.noteKeyFrame(packet.arrival)
        } else if refresh.isDue(packet.arrival) {
            producer.requestKeyFrame(of: layer)
        }
        if isLeftOut {
            var empty = packet
            empty.payload = UnsafeRawBufferPointer(start: nil, count: 0)
            empty.head = .none
            send(empty, place.sequence, place.numbering, verdict, isNewest: false)
        } else {
            var taken = packet
            taken.payload = payload ?? packet.payload
            send(taken, place.sequence, place.numbering, verdict, isNewest: isNewest)
        }
    }

    /// Decoders of VP8 wait for missing picture ids, so a picture that is left out leaves none. VP9's count on gaps.
    private func droppedPictures(_ packet: SourcePacket) -> UInt16 {
        guard case .vp8(let descriptor) = packet.head, let picture = descriptor.pictureID, picture != droppedPicture
        else {
            return 0
        }
        droppedPicture = picture
        return 1
    }

    /// The payload as this consumer takes it; nil for what it doesn't take at all.
    private func payload(of packet: SourcePacket) -> UnsafeRawBufferPointer? {
        switch packet.format {
        case .primary: return packet.payload
        case .event: return configuration.eventPayloadType == nil ? nil : packet.payload
        case .redundant:
            if configuration.redundancyPayloadType != nil || packet.payload.isEmpty { return packet.payload }
            guard let red = try? RedundantAudio(parsing: packet.payload.bytes),
                let frame = red.block(red.copies, in: packet.payload.bytes)?.range, !frame.isEmpty
            else { return nil }
            return UnsafeRawBufferPointer(rebasing: packet.payload[frame])
        }
    }

    private func payloadType(_ format: PacketFormat) -> UInt8 {
        switch format {
        case .primary: configuration.payloadType
        case .redundant: configuration.redundancyPayloadType ?? configuration.payloadType
        case .event: configuration.eventPayloadType ?? configuration.payloadType
        }
    }

    private func send(
        _ packet: SourcePacket, _ sequence: Int64, _ numbering: Numbering, _ verdict: LayerFilter.Verdict,
        isNewest: Bool
    ) {
        let header = OutgoingRTP(
            ssrc: configuration.ssrc, payloadType: payloadType(packet.format), marker: verdict.marker,
            sequenceNumber: UInt16(truncatingIfNeeded: sequence),
            timestamp: packet.timestamp &+ numbering.timestampOffset, extensions: extensions(of: packet),
            opaque: opaque(of: packet, numbering, verdict, isNewest: isNewest))
        let (prefix, payload) = parts(of: packet, numbering, verdict, at: 0, isNewest: isNewest)
        guard sink.forward(header, prefix: prefix, payload: payload) else {
            producer.statistics.dropped += 1
            return
        }
        packets += 1
        bytes += prefix.count + payload.count
        repetitions.note(sent: prefix.count + payload.count, now: packet.arrival)
        producer.statistics.packetsForwarded += 1
        producer.statistics.bytesForwarded += prefix.count + payload.count
    }
}
