import RTCWire

/// Pacing: what may not leave yet waits in `SendPacing` and leaves in `advance(to:into:)`.
extension Peer {
    var isPacing: Bool { pacing != nil }

    /// Begins to pace what is sent and to probe for what the path bears, or ends that: what waits leaves then.
    ///
    /// - Parameter wanted: what the encoders send at most, with all headers, in bit/s; nil for packets that leave at once.
    package mutating func setPacing(wanted: Int?, now: Instant, into outbox: Outbox) {
        bandwidth.setProbed(wanted != nil)
        guard let wanted else {
            flushPaced(now, outbox)
            pacing = nil
            return
        }
        if pacing == nil { pacing = SendPacing(rate: Double(bandwidth.bitrate)) }
        pacing?.probing.setWanted(Double(max(0, wanted)))
        beginProbing(now)
    }

    /// Whether the other side tells what arrives of what we send, and there is a stream to probe on.
    package var canPace: Bool {
        sending.streams.contains {
            $0.usesRTX && $0.configuration.kind == .video
                && $0.configuration.extensionMap.id(for: .transportSequenceNumber) != 0
        }
    }

    /// The path has shown where it ends.
    package var isLimited: Bool { bandwidth.isLimited }

    /// What the path is thought to bear, in bit/s, all headers included.
    package var estimatedBitrate: Int { bandwidth.bitrate }

    /// What encoders may make of it, in bit/s: where a queue stands in the path, what repetitions take is taken off, half of
    /// it at most. Elsewhere what is sent again finds room, and the estimate has grown with it.
    package mutating func encodedBitrate(now: Instant) -> Int {
        let repeated = pacing?.repeatedBitrate(now: now) ?? 0
        guard bandwidth.isQueueing else { return bandwidth.bitrate }
        return bandwidth.bitrate - min(Int(repeated), bandwidth.bitrate / 2)
    }

    /// How long a packet of a picture would wait that came now.
    package var pacingWait: Interval { pacing?.pacer.expectedWait ?? .zero }

    /// Packets that had to wait so far, and the longest time.
    package var pacedPackets: (count: Int, longestWait: Interval) {
        pacing.map { ($0.heldPackets, $0.longestWait) } ?? (0, .zero)
    }

    // MARK: Waiting

    /// Drops what waits where the path has got so narrow that it would take longer than `limit`, and what was kept for
    /// repetition: all that would be late, and sound would wait behind it. Gives whether it was: pictures then have to begin
    /// anew, with a key frame.
    ///
    /// - Parameter limit: nil drops in any case, where packets are paced.
    package mutating func dropBacklog(longerThan limit: Interval?, now: Instant) -> Bool {
        guard let backlog = pacing?.pacer.backlog, limit.map({ backlog > $0 }) ?? true else { return false }
        forgetPictures(now)
        return true
    }

    /// Whether a path that is paced has come back after a second or more in which nothing came through. What was made
    /// meanwhile is dropped and forgotten: repetitions of all that would go before the key frame that shows the present.
    ///
    /// Where pictures were held back until `beginAnew` there is nothing to be dropped.
    package mutating func takeEndOfOutage(now: Instant) -> Bool {
        guard bandwidth.takeEndOfOutage(), isPacing else { return false }
        if let begun = pacing?.begun, now - begun < Peer.outage + (roundTripTime ?? .zero) { return false }
        forgetPictures(now)
        return true
    }

    /// Whether a connection that stood has no path, or one that has been silent for so long that pictures would reach nobody:
    /// five seconds in most cases, for checks begin a second after media has stopped. libwebrtc stops sending then, too.
    package func isAway(now: Instant) -> Bool {
        hasConnected && (mediaDestination == nil || ice.silence(now: now) >= Peer.longestSilence)
    }

    /// The other side is heard again: what was made before is dropped and forgotten.
    package mutating func beginAnew(now: Instant) {
        pacing?.begun = now
        forgetPictures(now)
    }

    /// Checks that are unanswered for so long mean that nothing comes through, and not that one of them got lost.
    static let outage = Interval.milliseconds(700)

    private static let longestSilence = Interval.seconds(4)

    /// Drops what waits, and what was kept for repetition: requests for what was sent into an outage come before the feedback
    /// that tells of it.
    mutating func forgetPictures(_ now: Instant) {
        pacing?.pacer.removeWaiting(now: now)
        for index in sending.streams.indices where sending.streams[index].configuration.kind == .video {
            sending.update(index) { $0.forgetKept() }
        }
    }

    /// Has a packet that is written and not sealed wait for its turn; false where it may leave.
    mutating func hold(
        _ bytes: UnsafeMutableRawBufferPointer, _ packet: PacedPacket, stream index: Int, _ now: Instant,
        _ outbox: Outbox
    ) -> Bool {
        let urgency = urgency(ofStream: index, isRepetition: packet.isRepetition)
        guard pacing?.pacer.holds(urgency, now: now) == true else { return false }
        let source = UnsafeRawBufferPointer(rebasing: bytes[..<packet.length])
        return pacing?.pacer.append(source, packet, now: now) == true
    }

    /// Sends what the budget allows by now, and padding where a probe wants it.
    mutating func sendPaced(_ now: Instant, _ outbox: Outbox) {
        guard isPacing else { return }
        beginProbing(now)
        if let probing = pacing?.probing, probing.deadline <= now {
            let clusters = pacing?.probing.advance(to: now, Double(bandwidth.bitrate)) ?? []
            add(clusters, now)
        }
        while release(isForced: false, now, outbox) {}
        sendProbes(now, outbox)
    }

    mutating func flushPaced(_ now: Instant, _ outbox: Outbox) {
        while release(isForced: true, now, outbox) {}
    }

    /// Sends the next packet that may leave; false where there is none.
    private mutating func release(isForced: Bool, _ now: Instant, _ outbox: Outbox) -> Bool {
        guard pacing?.pacer.isEmpty == false else { return false }
        guard let destination = mediaDestination else {
            pacing?.pacer.removeAll()
            return false
        }
        let target = outbox.reserve(configuration.maximumDatagram)
        guard let packet = pacing?.pacer.takeNext(into: target, isForced: isForced, now: now) else { return false }
        // Its stream may have ended meanwhile.
        guard let index = sending.index(ssrc: packet.stream) else { return true }
        pacing?.noteHeld(now - packet.queued)
        let map = sending.streams[index].configuration.extensionMap
        SendStamps.write(
            sendTime: clock.absoluteSendTime(now), number: sentPackets.nextNumber, map: map, in: target,
            payloadOffset: packet.payloadOffset)
        guard let sealed = srtp?.protectRTP(target, length: packet.length, payloadOffset: packet.payloadOffset) else {
            return true
        }
        if packet.isKeptSealed, let sequence = packet.sequence { keep(target, sealed, sequence, index, now) }
        noteSent(sealed, stream: index, packet.sequence, now)
        if packet.isRepetition { pacing?.noteRepeated(bytes: sealed, now: now) }
        commit(sealed, to: destination, outbox, urgency: urgency(ofStream: index, isRepetition: packet.isRepetition))
        return true
    }

    var pacingDeadline: Instant {
        guard let pacing, pacing.isProbing else {
            return pacing?.pacer.deadline(canProbe: false, now: latest) ?? .distantFuture
        }
        let canProbe = !pacing.pacer.probes.isIdle && paddedStream != nil
        return min(pacing.pacer.deadline(canProbe: canProbe, now: latest), pacing.probing.deadline)
    }

    // MARK: Rates

    /// Takes in what the path bears.
    mutating func pace(_ bitrate: Int, _ now: Instant) {
        guard pacing?.isProbing == true else { return }
        pacing?.pacer.setRate(Double(bitrate), isLimited: bandwidth.isLimited, now: now)
        let clusters = pacing?.probing.update(
            Double(bitrate), acknowledged: bandwidth.acknowledgedBitrate.map { Double($0) },
            isOverused: bandwidth.isOverused, now: now)
        add(clusters ?? [], now)
    }

    /// The first picture says that probes have somewhere to go.
    private mutating func beginProbing(_ now: Instant) {
        guard let pacing, pacing.isProbing, !pacing.probing.hasBegun, paddedStream != nil else { return }
        let clusters = self.pacing?.probing.begin(Double(bandwidth.bitrate), now: now)
        add(clusters ?? [], now)
    }

    private mutating func add(_ clusters: [ProbeCluster], _ now: Instant) {
        for cluster in clusters {
            bandwidth.expect(cluster)
            pacing?.pacer.probes.add(cluster, now: now)
        }
    }

    // MARK: Padding

    /// The stream whose repetitions padding goes out on: one that is numbered and has sent.
    private var paddedStream: Int? {
        sending.streams.firstIndex {
            $0.usesRTX && $0.configuration.kind == .video && $0.lastSent != nil
                && $0.configuration.extensionMap.id(for: .transportSequenceNumber) != 0
        }
    }

    private mutating func sendProbes(_ now: Instant, _ outbox: Outbox) {
        guard pacing?.pacer.probes.isIdle == false, let index = paddedStream else { return }
        while let due = pacing?.pacer.probes.due(at: now), due > 0 {
            var left = due
            while left > 0 {
                let sent = sendPadding(stream: index, now, outbox)
                guard sent > 0 else {
                    pacing?.pacer.probes.removeAll()
                    return
                }
                left -= sent
            }
        }
    }

    /// Sends a packet that has nothing but padding (RFC 3550 section 5.1) on the stream of a stream's repetitions, as
    /// libwebrtc does; gives its bytes with all headers, 0 where it can't be sent.
    private mutating func sendPadding(stream index: Int, _ now: Instant, _ outbox: Outbox) -> Int {
        let stream = sending.streams[index].configuration
        guard let destination = mediaDestination, let ssrc = stream.rtxSSRC, let type = stream.rtxPayloadType else {
            return 0
        }
        var extensions = RTPExtensions()
        complete(&extensions, index, now)
        extensions.repairedRid = extensions.rid
        extensions.rid = nil
        let target = outbox.reserve(configuration.maximumDatagram)
        let offset = RTPHeader.write(
            marker: false, payloadType: type, sequenceNumber: sending.streams[index].nextRTXSequence,
            timestamp: sending.streams[index].timestamp(at: now) ?? 0, ssrc: ssrc, extensions: extensions,
            map: stream.extensionMap, into: target)
        let length = offset + Peer.paddingLength
        guard offset > 0, length + configuration.largestRTPOverhead <= configuration.maximumDatagram else { return 0 }
        target[0] |= 0x20
        for place in offset..<length { target[place] = 0 }
        target[length - 1] = UInt8(Peer.paddingLength)
        guard let sealed = srtp?.protectRTP(target, length: length, payloadOffset: offset) else { return 0 }
        sending.update(index) { _ = $0.takeRTXSequence() }
        noteSent(sealed, stream: index, nil, now)
        commit(sealed, to: destination, outbox, urgency: .repetition)
        return sealed + PacingBudget.datagramOverhead
    }

    /// Bytes of a packet of padding, as with libwebrtc; at most 255.
    private static let paddingLength = 224
}
