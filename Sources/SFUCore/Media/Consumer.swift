import RTCCore
import RTCWire

/// The connection that a consumer's packets leave by.
package protocol ConsumerSink: AnyObject {
    /// Sends a packet whose numbers are set. False where the connection doesn't take it.
    func forward(_ packet: OutgoingRTP, prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) -> Bool
    func sendSenderReport(ssrc: UInt32, ntp: UInt64, rtpTimestamp: UInt32)
}

/// What a subscription negotiated.
package struct ConsumerConfiguration: Sendable, Hashable {
    package var ssrc: UInt32
    package var payloadType: UInt8
    /// Both or neither: lost packets are repeated on this stream (RFC 4588).
    package var rtxSSRC: UInt32?
    package var rtxPayloadType: UInt8?
    /// The first sequence numbers; only the lower 15 bits are taken.
    package var firstSequence: UInt16
    package var firstRTXSequence: UInt16

    package init(
        ssrc: UInt32, payloadType: UInt8, rtxSSRC: UInt32? = nil, rtxPayloadType: UInt8? = nil, firstSequence: UInt16,
        firstRTXSequence: UInt16
    ) {
        self.ssrc = ssrc
        self.payloadType = payloadType
        self.rtxSSRC = rtxSSRC
        self.rtxPayloadType = rtxPayloadType
        self.firstSequence = firstSequence
        self.firstRTXSequence = firstRTXSequence
    }
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
    package private(set) var isPaused = false
    package private(set) var packets = 0
    package private(set) var bytes = 0
    private let sink: any ConsumerSink
    private var layer: ProducerLayer?
    private var munger: RTPMunger
    private var vp8 = VP8Munger()
    private var lastArrival: Instant = .zero
    private var nextRTXSequence: UInt16
    private var log = RetransmissionLog()
    private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 16, alignment: 8)

    package init(_ configuration: ConsumerConfiguration, producer: Producer, sink: any ConsumerSink) {
        self.configuration = configuration
        self.producer = producer
        self.sink = sink
        munger = RTPMunger(firstSequence: configuration.firstSequence)
        nextRTXSequence = configuration.firstRTXSequence & 0x7fff
    }

    deinit { scratch.deallocate() }

    // MARK: Wishes

    /// Begins to get packets; asks for the key frame that video begins with.
    package func start(now: Instant) {
        producer.add(self)
        requestKeyFrame(now: now)
    }

    package func stop() {
        producer.remove(self)
        layer = nil
    }

    /// Stops the packets for a while. Video goes on with a key frame, under the next numbers.
    package func setPaused(_ paused: Bool, now: Instant) {
        guard paused != isPaused else { return }
        isPaused = paused
        layer = nil
        if !paused { requestKeyFrame(now: now) }
    }

    /// Wants no larger layer than this one; the change comes with that layer's next key frame, which is asked for.
    package func setLayerLimit(_ limit: Int, now: Instant) {
        guard limit != layerLimit else { return }
        layerLimit = limit
        if let best = producer.bestLayer(limit: limit, now: now), best !== layer { producer.requestKeyFrame(of: best) }
    }

    /// The subscriber can't go on without a key frame.
    package func requestKeyFrame(now: Instant) {
        guard let layer = layer ?? producer.bestLayer(limit: layerLimit, now: now) ?? producer.layers.last else {
            return
        }
        producer.requestKeyFrame(of: layer)
    }

    // MARK: Packets

    /// Sends a packet on, where this consumer is to have it. Allocates nothing.
    func forward(_ packet: SourcePacket, from layer: ProducerLayer) {
        guard !isPaused else { return }
        if layer !== self.layer {
            guard mayBegin(with: packet, of: layer) else { return }
            begin(with: packet, of: layer)
        } else if munger.isJump(packet.sequence) {
            guard packet.startsKeyFrame else { return producer.requestKeyFrame(of: layer) }
            begin(with: packet, of: layer)
        }
        // A packet of padding alone is left out; one that comes too late for that is sent on empty.
        if packet.payload.isEmpty, munger.skip(packet.sequence) { return }
        let newest = munger.highest
        guard let place = munger.place(packet.sequence, timestamp: packet.timestamp) else { return }
        lastArrival = packet.arrival
        send(packet, place.sequence, place.numbering, isNewest: place.sequence > newest)
    }

    private func mayBegin(with packet: SourcePacket, of layer: ProducerLayer) -> Bool {
        guard !packet.payload.isEmpty, producer.bestLayer(limit: layerLimit, now: packet.arrival) === layer else {
            return false
        }
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
        vp8.begin(packet.descriptor, &numbering)
        munger.begin(layer, at: packet.sequence, offsets: numbering)
        self.layer = layer
        if let clock = layer.clock?.advanced(to: packet.arrival, clockRate: producer.clockRate) { report(clock) }
    }

    private func send(_ packet: SourcePacket, _ sequence: Int64, _ numbering: Numbering, isNewest: Bool) {
        let header = OutgoingRTP(
            ssrc: configuration.ssrc, payloadType: configuration.payloadType, marker: packet.marker,
            sequenceNumber: UInt16(truncatingIfNeeded: sequence),
            timestamp: packet.timestamp &+ numbering.timestampOffset, extensions: packet.extensions)
        let (prefix, payload) = parts(of: packet, numbering, at: 0, isNewest: isNewest)
        guard sink.forward(header, prefix: prefix, payload: payload) else {
            producer.statistics.dropped += 1
            return
        }
        packets += 1
        bytes += prefix.count + payload.count
        producer.statistics.packetsForwarded += 1
        producer.statistics.bytesForwarded += prefix.count + payload.count
    }

    /// The rewritten descriptor, behind the `offset` bytes of the scratch memory that the caller has written, and the rest.
    private func parts(
        of packet: SourcePacket, _ numbering: Numbering, at offset: Int, isNewest: Bool
    ) -> (prefix: UnsafeRawBufferPointer, payload: UnsafeRawBufferPointer) {
        guard let descriptor = packet.descriptor else {
            return (UnsafeRawBufferPointer(rebasing: scratch[..<offset]), packet.payload)
        }
        let rewritten = vp8.rewrite(descriptor, numbering)
        if isNewest { vp8.note(rewritten) }
        let length = rewritten.write(into: UnsafeMutableRawBufferPointer(rebasing: scratch[offset...]))
        return (
            UnsafeRawBufferPointer(rebasing: scratch[..<(offset + length)]),
            UnsafeRawBufferPointer(rebasing: packet.payload[min(length, packet.payload.count)...])
        )
    }

    // MARK: Reports and repetitions

    func forwardSenderReport(from layer: ProducerLayer) {
        guard layer === self.layer, !isPaused, let clock = layer.clock else { return }
        report(clock)
    }

    private func report(_ clock: SenderClock) {
        sink.sendSenderReport(
            ssrc: configuration.ssrc, ntp: clock.ntp, rtpTimestamp: clock.timestamp &+ munger.current.timestampOffset)
    }

    /// Repeats packets that the subscriber misses, on the retransmission stream, each at most once per `spacing`.
    ///
    /// Without such a stream nothing is repeated: a packet made again would have to leave under a number that was sealed
    /// before, which SRTP forbids.
    package func resend(_ sequences: [UInt16], now: Instant, spacing: Interval) {
        guard let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType else { return }
        for sequence in sequences {
            guard let original = munger.original(of: sequence),
                let packet = original.layer.ring?.find(original.source, codec: producer.codec)
            else {
                producer.statistics.retransmissionMisses += 1
                continue
            }
            guard log.take(sequence, now: now, spacing: spacing) else { continue }
            let header = OutgoingRTP(
                ssrc: ssrc, payloadType: payloadType, marker: packet.marker, sequenceNumber: nextRTXSequence,
                timestamp: packet.timestamp &+ original.numbering.timestampOffset, extensions: packet.extensions)
            let offset = RTX.write(originalSequenceNumber: sequence, into: scratch)
            let (prefix, payload) = parts(of: packet, original.numbering, at: offset, isNewest: false)
            guard sink.forward(header, prefix: prefix, payload: payload) else { continue }
            nextRTXSequence &+= 1
            producer.statistics.retransmissions += 1
        }
    }
}
