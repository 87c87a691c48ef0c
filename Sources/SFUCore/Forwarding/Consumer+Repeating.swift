import RTCCore
import RTCWire

/// Packets that are sent again.
extension Consumer {
    /// Repeats packets that the subscriber misses, on the retransmission stream: each no sooner than `spacing` allows, all
    /// together within the stream's budget; where less than half of that is left each once a round trip, so that none goes
    /// without for others' second ones.
    ///
    /// Where no such stream was negotiated the connection keeps what it has sealed and repeats that: a packet made again
    /// would leave under a number that was sealed before, which SRTP forbids.
    ///
    /// - Parameter allowance: of the subscriber, of which each repetition takes its part.
    mutating func resend(
        _ sequences: [UInt16], _ producer: inout Producer, now: Instant, spacing: RepetitionSpacing,
        within allowance: inout RepetitionAllowance, into outbox: inout ForwardingOutbox
    ) {
        guard let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType else { return }
        for sequence in sequences.prefix(Int(RetransmissionLog.reach)) {
            let age = munger.age(of: sequence)
            guard age < RetransmissionLog.reach else {
                producer.statistics.retransmissionMisses += 1
                continue
            }
            if repetitions.isForgotten(munger.highest - Int64(age)) {
                producer.statistics.retransmissionsRefused += 1
                continue
            }
            let isAmple = repetitions.budget.isAmple(now: now) && allowance.isAmple(now: now)
            let spacing = isAmple ? spacing : spacing.sparing
            // One that isn't at hand is looked for as seldom as one that is.
            guard repetitions.log.take(sequence, now: now, spacing: spacing) else {
                producer.statistics.retransmissionsRefused += 1
                producer.statistics.retransmissionsUnderWay += 1
                continue
            }
            let row = Row.repetition(sequence, ssrc: ssrc, payloadType: payloadType)
            repeatOriginal(of: sequence, row, &producer, now: now, &allowance, &outbox)
        }
    }

    private mutating func repeatOriginal(
        of sequence: UInt16, _ row: Row, _ producer: inout Producer, now: Instant,
        _ allowance: inout RepetitionAllowance, _ outbox: inout ForwardingOutbox
    ) {
        guard let original = find(sequence, producer) else {
            producer.statistics.retransmissionMisses += 1
            return
        }
        let bytes = original.packet.payload.count
        guard repetitions.budget.take(bytes, now: now), allowance.take(bytes, now: now) else {
            producer.statistics.retransmissionsRefused += 1
            return
        }
        sendAgain(original, row, sendsEmpty: true, &producer, &outbox)
    }

    /// Sends the latest packets again on the retransmission stream, unasked: real media in place of padding, to find out
    /// whether the way to the subscriber bears more. Gives their payload bytes.
    ///
    /// - Parameter count: how many packets, the newest ones.
    mutating func repeatLatest(_ count: Int, _ producer: inout Producer, into outbox: inout ForwardingOutbox) -> Int {
        guard let ssrc = configuration.rtxSSRC, let payloadType = configuration.rtxPayloadType, layer != nil else {
            return 0
        }
        var bytes = 0
        for age in stride(from: Int64(count) - 1, through: 0, by: -1) {
            let sequence = UInt16(truncatingIfNeeded: munger.highest - age)
            guard let original = find(sequence, producer) else { continue }
            let row = Row.repetition(sequence, ssrc: ssrc, payloadType: payloadType)
            bytes += original.packet.payload.count
            sendAgain(original, row, sendsEmpty: false, &producer, &outbox)
        }
        return bytes
    }

    /// Whether the packet with that number has come, so that it was sent.
    func hasSent(_ sequence: UInt16, _ producer: borrowing Producer) -> Bool {
        guard let original = munger.original(of: sequence), let layer = producer.layers.index(of: original.layer) else {
            return false
        }
        return producer.layers[layer].pointee.ring?.has(original.source) ?? true
    }

    /// A packet that was sent, as it came.
    private struct Original: ~Copyable {
        var packet: SourcePacket
        var layer: Int
        var numbering: Numbering
    }

    private func find(_ sequence: UInt16, _ producer: borrowing Producer) -> Original? {
        guard let original = munger.original(of: sequence), let layer = producer.layers.index(of: original.layer),
            var packet = producer.layers[layer].pointee.ring?.find(original.source, codec: producer.codec)
        else { return nil }
        if packet.needsDependency(producer.codec) {
            var structure = producer.layers[layer].pointee.contents.structure
            packet.readDependency(&structure)
        }
        return Original(packet: packet, layer: layer, numbering: original.numbering)
    }

    /// - Parameter sendsEmpty: what the subscriber is not to have goes out empty. It had been lost on its way here, so
    ///   nobody could know that it was to be left out.
    private mutating func sendAgain(
        _ original: borrowing Original, _ row: Row, sendsEmpty: Bool, _ producer: inout Producer,
        _ outbox: inout ForwardingOutbox
    ) {
        let verdict = filter.judge(
            original.packet, of: producer.layers[original.layer].pointee.contents, isNewest: false)
        guard verdict.isTaken || sendsEmpty else { return }
        let taken = TakenPacket(
            payload: verdict.isTaken ? original.packet.payload : nil, shared: outbox.share(original.packet),
            numbering: original.numbering, verdict: verdict, isNewest: false)
        outbox.append(write(original.packet, taken, of: original.layer, producer, row, &outbox))
        repetitions.nextSequence &+= 1
        producer.statistics.retransmissions += 1
    }
}
