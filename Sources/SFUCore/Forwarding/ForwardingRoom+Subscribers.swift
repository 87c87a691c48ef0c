import RTCCore
import RTCWire

/// What subscribers want and ask for.
extension ForwardingRoom {
    /// Begins to send: from a recent key frame, where all since then is still at hand, else from the next one, which is
    /// asked for.
    package mutating func start(_ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox) {
        guard let (consumer, producer) = find(id) else { return }
        producers[producer].pointee.add(listener: consumer)
        consumers[consumer].pointee.start(&producers[producer].pointee, now: now, into: &outbox)
    }

    /// Sends no more of the track. True where black pictures follow, so that the subscriber doesn't go on showing the last
    /// one; a `FillerEnd` tells when they are through.
    package mutating func end(_ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox) -> Bool {
        guard let (consumer, producer) = find(id) else { return false }
        producers[producer].pointee.remove(listener: consumer)
        let isFilling = consumers[consumer].pointee.fillBlack(producers[producer].pointee, now: now, into: &outbox)
        noteFiller(of: consumer)
        return isFilling
    }

    // MARK: Wishes

    /// Stops the packets for a while. Video goes on with a key frame, under the next numbers.
    package mutating func setPaused(
        _ paused: Bool, _ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard let (consumer, producer) = find(id) else { return }
        consumers[consumer].pointee.setPaused(paused, &producers[producer].pointee, now: now, into: &outbox)
    }

    /// Wants no larger layer than this one: 0 the smallest, 2 the largest.
    package mutating func setLayerLimit(
        _ limit: Int, _ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard let (consumer, producer) = find(id), limit != consumers[consumer].pointee.wishes.layerLimit else {
            return
        }
        consumers[consumer].pointee.wishes.layerLimit = limit
        consumers[consumer].pointee.limitsChanged(&producers[producer].pointee, now: now, into: &outbox)
    }

    /// Wants no more pictures a second than this, where the stream has temporal layers; nil for all.
    package mutating func setFrameRateLimit(
        _ limit: Int?, _ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard let (consumer, producer) = find(id), limit != consumers[consumer].pointee.wishes.frameRateLimit else {
            return
        }
        consumers[consumer].pointee.wishes.frameRateLimit = limit
        consumers[consumer].pointee.limitsChanged(&producers[producer].pointee, now: now, into: &outbox)
    }

    /// Says what the way to the subscriber has room for.
    ///
    /// - Parameter isOverrun: far more is sent than that: a larger layer ends at once, not with the key frame of the one that
    ///   takes its place.
    package mutating func setAllocation(
        _ point: LayerPoint, isOverrun: Bool = false, _ id: ConsumerID, now: Instant,
        into outbox: inout ForwardingOutbox
    ) {
        guard let (consumer, producer) = find(id) else { return }
        let isNew = point != consumers[consumer].pointee.wishes.allocation
        consumers[consumer].pointee.wishes.allocation = point
        if isOverrun { consumers[consumer].pointee.giveWay(producers[producer].pointee, now: now) }
        guard isNew else { return }
        consumers[consumer].pointee.limitsChanged(&producers[producer].pointee, now: now, into: &outbox)
    }

    /// Takes in what a subscriber has lost of sound since its last report. Where that is much, and the publisher's packets bring no
    /// copies of earlier frames, those that are sent to it get some, as far as it knows them (RFC 2198).
    ///
    /// - Parameters:
    ///   - loss: share of the packets, 0...1; what was repeated in time counts, too.
    ///   - mostCopies: that its way has room for, 0...2.
    package mutating func note(loss: Double, mostCopies: Int, _ id: ConsumerID, now: Instant) {
        guard let (consumer, producer) = find(id), producers[producer].pointee.knowsCopies else { return }
        consumers[consumer].pointee.wishes.copies.note(loss: loss, most: mostCopies, now: now)
    }

    // MARK: Requests

    /// The subscriber can't go on without a key frame.
    package mutating func requestKeyFrame(_ id: ConsumerID, now: Instant, into outbox: inout ForwardingOutbox) {
        guard let (consumer, producer) = find(id) else { return }
        consumers[consumer].pointee.requestKeyFrame(&producers[producer].pointee, now: now, into: &outbox)
    }

    /// Repeats packets that the subscriber misses, on the retransmission stream: each at most once per `spacing`, all
    /// together within the stream's budget.
    package mutating func resend(
        _ sequences: [UInt16], _ id: ConsumerID, now: Instant, spacing: RepetitionSpacing,
        within allowance: inout RepetitionAllowance, into outbox: inout ForwardingOutbox
    ) {
        guard let (consumer, producer) = find(id) else { return }
        consumers[consumer].pointee.resend(
            sequences, &producers[producer].pointee, now: now, spacing: spacing, within: &allowance, into: &outbox)
    }

    /// The same to a subscriber of whose way nothing is known.
    package mutating func resend(
        _ sequences: [UInt16], _ id: ConsumerID, now: Instant, spacing: RepetitionSpacing,
        into outbox: inout ForwardingOutbox
    ) {
        var unlimited = RepetitionAllowance()
        resend(sequences, id, now: now, spacing: spacing, within: &unlimited, into: &outbox)
    }

    /// Sends the latest packets again on the retransmission stream, unasked: real media in place of padding. Gives their
    /// payload bytes.
    ///
    /// - Parameter count: how many packets, the newest ones.
    @discardableResult
    package mutating func repeatLatest(_ count: Int, _ id: ConsumerID, into outbox: inout ForwardingOutbox) -> Int {
        guard let (consumer, producer) = find(id) else { return 0 }
        return consumers[consumer].pointee.repeatLatest(count, &producers[producer].pointee, into: &outbox)
    }

    // MARK: What is known of a copy

    /// What a sender report on a copy says now; nil while nothing flows, or the source has not told its clock.
    package func senderReport(_ id: ConsumerID, now: Instant) -> ForwardedReport? {
        guard let (consumer, producer) = find(id) else { return nil }
        return consumers[consumer].pointee.senderReport(producers[producer].pointee, now: now)
    }

    /// Of the numbers that a subscriber misses, those of packets that have come to us: the others were lost before. What is no
    /// longer at hand counts as lost before.
    package func sequencesSent(_ sequences: [UInt16], _ id: ConsumerID) -> [UInt16] {
        guard let (consumer, producer) = find(id) else { return [] }
        return sequences.prefix(Int(RetransmissionLog.reach)).filter {
            consumers[consumer].pointee.hasSent($0, producers[producer].pointee)
        }
    }

    /// The numbers that a copy has given out; nil before the first.
    package func row(_ id: ConsumerID) -> SequenceRow? {
        guard let index = consumers.index(of: id.slot), consumers[index].pointee.munger.hasStarted else { return nil }
        return SequenceRow(given: consumers[index].pointee.munger.highest, holes: consumers[index].pointee.munger.holes)
    }

    /// Packets that were sent for the first time, and their payload bytes.
    package func sent(_ id: ConsumerID) -> (packets: Int, bytes: Int) {
        consumers.index(of: id.slot).map { consumers[$0].pointee.sent } ?? (0, 0)
    }

    /// Copies of earlier frames that each packet of sound carries.
    package func copies(_ id: ConsumerID) -> Int {
        consumers.index(of: id.slot).map { consumers[$0].pointee.wishes.copies.count } ?? 0
    }

    /// When the first packet came in that was sent; nil before.
    package func began(_ id: ConsumerID) -> Instant? {
        consumers.index(of: id.slot).flatMap { consumers[$0].pointee.began }
    }

    /// The layers that are sent, the spatial one as `setLayerLimit` counts; nil while nothing is.
    package func currentLayers(_ id: ConsumerID) -> LayerPoint? {
        guard let (consumer, producer) = find(id) else { return nil }
        return consumers[consumer].pointee.currentLayer(producers[producer].pointee).map {
            LayerPoint(spatial: $0, temporal: consumers[consumer].pointee.filter.current.temporal)
        }
    }

    /// A copy still has packets of our own making to send.
    package func isFilling(_ id: ConsumerID) -> Bool {
        consumers.index(of: id.slot).map { consumers[$0].pointee.filler != nil } ?? false
    }
}
