import RTCCore
import RTCWire

/// Datagrams, time, and what came of jobs.
extension SessionMachine {
    /// Takes a datagram in, which may be changed and is valid during the call; see `Peer.receive`.
    package mutating func receive(
        _ datagram: UnsafeMutableRawBufferPointer, from source: TransportAddress, localBase: TransportAddress? = nil,
        now: Instant, arrival: Instant? = nil, into out: SessionOutbox
    ) {
        peer.receive(datagram, from: source, localBase: localBase, now: now, arrival: arrival, into: out.network)
        guard !out.network.events.isEmpty else { return }
        takeEvents(UnsafeRawBufferPointer(datagram), now: now, into: out)
    }

    /// When `advance` wants to be called.
    package var nextDeadline: Instant? {
        var soonest = min(sent.nextDeadline, received.nextDeadline, playout.nextDeadline)
        if let deadline = peer.nextDeadline { soonest = min(soonest, deadline.instant) }
        return soonest == .distantFuture ? nil : soonest
    }

    /// Does what is due.
    package mutating func advance(to now: Instant, into out: SessionOutbox) {
        peer.advance(to: now, into: out.network)
        takeEvents(nil, now: now, into: out)
        updateHold(now: now)
        sent.advance(to: now, into: out.work)
        for ssrc in received.advance(to: now, into: out.work) { requestKeyFrame(ssrc, now: now, into: out) }
        play(now: now, into: out.work)
    }

    private mutating func play(now: Instant, into work: SessionWork) {
        guard playout.nextDeadline <= now else { return }
        playout.begin(at: now, into: work)
        while let due = playout.take(at: now) {
            let deliveries = received.play(due, into: &playout)
            if !deliveries.isEmpty {
                // One job for all tracks: each crossing costs more than decoding a packet.
                let number = TrackNumber(line: -1, serial: 0)
                work.jobs.append(MediaJob(lane: .sinks, track: number, work: .deliver(deliveries)))
            }
            if let levels = playout.takeLevels() { work.tell(.audioLevels(levels)) }
        }
    }

    /// Takes in what came of a job.
    package mutating func take(_ result: MediaJobResult, now: Instant, into out: SessionOutbox) {
        updateHold(now: now)
        switch result.outcome {
        case .sound(let sound): sent.send(sound, of: result.track, by: &peer, now: now, into: out)
        case .pictures(let pictures):
            sent.send(pictures, of: result.track, by: &peer, now: now, into: out)
            updatePacing(now: now, into: out)
        case .decoded(let frame, let outcome, let time):
            let wanted = received.take(outcome, of: frame, result.track, at: time, now: now, into: out.work)
            if let wanted { requestKeyFrame(wanted, now: now, into: out) }
        }
    }

    private mutating func requestKeyFrame(_ ssrc: UInt32, now: Instant, into out: SessionOutbox) {
        peer.requestKeyFrame(ssrc: ssrc, now: now, into: out.network)
    }

    // MARK: What the peer says

    /// Takes in what the peer has said. Drivers that call the peer themselves have to call this.
    ///
    /// - Parameter buffer: the datagram that media packets point into.
    package mutating func takeEvents(_ buffer: UnsafeRawBufferPointer?, now: Instant, into out: SessionOutbox) {
        var index = 0
        while index < out.network.events.count {
            take(out.network.events[index], in: buffer, now: now, into: out)
            index += 1
        }
        out.network.events.removeAll(keepingCapacity: true)
    }

    /// Takes in one thing that the peer has said.
    package mutating func take(
        _ event: PeerEvent, in buffer: UnsafeRawBufferPointer?, now: Instant, into out: SessionOutbox
    ) {
        switch event {
        case .rtp(let packet):
            guard let buffer, let wanted = received.receive(packet, in: buffer, into: out.work) else { return }
            requestKeyFrame(wanted, now: now, into: out)
        case .connected(let profile):
            srtpProfile = profile.description
            setup.note(\.secured, at: now)
            sent.open(now: now, into: out.work)
            out.work.tell(.connected(srtpProfile: profile.description))
        case .stateChanged(let state): out.work.tell(.stateChanged(SessionState(state)))
        // Another negotiation may find another path; `stateChanged` says it.
        case .failed(.ice): break
        case .failed(let failure): out.work.tell(.failed(failure.description))
        case .closed: out.work.tell(.stateChanged(.closed))
        case .keyFrameRequest(let ssrc): sent.keyFrameRequested(ssrc: ssrc)
        case .targetBitrate(let bitrate):
            shareOut(now: now)
            if fall.note(bitrate, now: now) { dropBacklog(now: now) }
        case .dataChannelOpened(let id, let configuration):
            out.work.events.append(.dataChannelOpened(id, configuration))
        case .dataMessage(let id, let bytes, let isText):
            out.work.events.append(.dataMessage(id, bytes, isText: isText))
        case .dataChannelClosed(let id): out.work.events.append(.dataChannelClosed(id))
        case .senderReport(let ssrc, let ntp, let timestamp, _):
            let clock = SenderClock(ntp: ntp, timestamp: timestamp)
            received.note(clock, of: ssrc, roundTrip: peer.roundTripTime)
        case .selectedPair: setup.note(\.paired, at: now)
        case .receiverReport(let ssrc, let loss, _, _, _):
            guard sent.note(loss: loss, ssrc: ssrc, now: now) else { break }
            updatePacing(now: now, into: out)
            shareOut(now: now)
        case .packetResults:
            if peer.takeEndOfOutage(now: now) { sent.beginAnew(now: now) }
            followRepetitions(now: now)
        case .receiverEstimate, .nack, .bye, .applicationData, .bufferedAmountLow: break
        }
    }
}

extension SessionState {
    init(_ state: PeerState) {
        self =
            switch state {
            case .new: .new
            case .connecting: .connecting
            case .connected: .connected
            case .disconnected: .disconnected
            case .failed: .failed
            case .closed: .closed
            }
    }
}
