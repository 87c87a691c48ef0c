import RTCCore
import RTCWire

/// What a subscriber wants.
extension Consumer {
    /// Begins with a recent key frame, where all since then is still at hand, else with the next one, which is asked for.
    mutating func start(_ producer: inout Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        if mayReplay(producer), let best = wantedLayer(producer, now),
            let range = producer.layers[best].pointee.replayable(now: now)
        {
            return replay(range, of: best, &producer, into: &outbox)
        }
        requestKeyFrame(&producer, now: now, into: &outbox)
    }

    /// Media that is encrypted end to end waits for a key frame of its own: its receiver makes ready to decrypt only now, and
    /// what comes in one go meanwhile is lost to it.
    private func mayReplay(_ producer: borrowing Producer) -> Bool {
        !munger.hasStarted && isFlowing(producer) && !configuration.isEncrypted && configuration.replaysRecent
    }

    /// Stops the packets for a while. Video goes on with a key frame, under the next numbers.
    mutating func setPaused(
        _ paused: Bool, _ producer: inout Producer, now: Instant, into outbox: inout ForwardingOutbox
    ) {
        guard paused != wishes.isPaused else { return }
        wishes.isPaused = paused
        stopOrGoOn(&producer, now: now, into: &outbox)
    }

    mutating func stopOrGoOn(_ producer: inout Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        layer = nil
        filler = nil
        if isFlowing(producer) { requestKeyFrame(&producer, now: now, into: &outbox) }
    }

    /// The limits have changed; a larger layer comes with its next key frame, which is asked for.
    mutating func limitsChanged(_ producer: inout Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        refreshLimit(producer)
        guard isFlowing(producer), let best = wantedLayer(producer, now) else { return }
        // A larger spatial layer of one stream begins with a key frame too, or where the codec says it can.
        let layers = producer.layers[best].pointee.contents.spatialLayers
        let isRaised = layers > 1 && filter.current.spatial < min(wishes.spatialLimit, layers - 1)
        let isOther = producer.layers.id(at: best) != layer
        if isOther || isRaised || filter.needsKeyFrame(of: producer.layers[best].pointee.contents) {
            producer.requestKeyFrame(of: best, into: &outbox)
        }
    }

    /// Stops a stream of the simulcast for which the way has no room, where a smaller one is there to follow: what is sent until
    /// that one's key frame comes would only wait, and sound behind it. What was sent isn't repeated, for the key frame needs
    /// none of it.
    mutating func giveWay(_ producer: borrowing Producer, now: Instant) {
        guard isFlowing(producer), let sent = sentLayer(producer), let best = wantedLayer(producer, now),
            producer.layers[best].pointee.rank < producer.layers[sent].pointee.rank
        else { return }
        layer = nil
        filler = nil
        repetitions.forget(upTo: munger.highest)
    }

    /// The layer that is sent, as `layerLimit` counts; nil while nothing is.
    func currentLayer(_ producer: borrowing Producer) -> Int? {
        sentLayer(producer).map { max(producer.layers[$0].pointee.rank, filter.current.spatial) }
    }

    /// The layer that is sent, by its position.
    func sentLayer(_ producer: borrowing Producer) -> Int? {
        guard let layer else { return nil }
        return producer.layers.index(of: layer)
    }

    private func wantedLayer(_ producer: borrowing Producer, _ now: Instant) -> Int? {
        producer.bestLayer(limit: wishes.spatialLimit, now: now)
    }

    mutating func refreshLimit(_ producer: borrowing Producer) {
        guard wishes.frameRateLimit != nil, let index = sentLayer(producer) else {
            filter.limit = wishes.limit(nil)
            return
        }
        filter.limit = wishes.limit(producer.layers[index].pointee.contents.temporalRates)
    }

    /// The subscriber can't go on without a key frame.
    func requestKeyFrame(_ producer: inout Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        guard let layer = sentLayer(producer) ?? wantedLayer(producer, now) ?? producer.largestLayer else { return }
        producer.requestKeyFrame(of: layer, into: &outbox)
    }

    // MARK: Reports

    /// What a sender report says now: the source's own clock, read at this moment, and where this consumer's time line
    /// stands by it. Nil while nothing flows, or the source has not told its clock.
    func senderReport(_ producer: borrowing Producer, now: Instant) -> ForwardedReport? {
        guard isFlowing(producer), let index = sentLayer(producer),
            let clock = producer.layers[index].pointee.clock?.advanced(to: now, clockRate: producer.clockRate)
        else { return nil }
        return ForwardedReport(
            ssrc: configuration.ssrc, ntp: clock.ntp,
            rtpTimestamp: clock.timestamp &+ munger.current.timestampOffset)
    }

    /// Reports at once where the time line has changed, or has only just become known: until then nobody can line up audio
    /// with video.
    func reportEarly(_ producer: borrowing Producer, now: Instant, into outbox: inout ForwardingOutbox) {
        guard configuration.reportsEarly, let report = senderReport(producer, now: now) else { return }
        outbox.append(.senderReport(report, to: connection))
    }
}
