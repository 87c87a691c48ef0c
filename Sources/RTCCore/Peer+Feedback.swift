import RTCWire

extension Peer {
    /// Opens an RTCP datagram and acts on each packet of it.
    mutating func receiveRTCP(
        _ buffer: UnsafeMutableRawBufferPointer, _ arrival: Instant, _ now: Instant, _ outbox: Outbox
    ) {
        guard srtp != nil else {
            statistics.earlyDatagrams += 1
            return
        }
        guard buffer.count >= 8,
            mayOpen(UInt32(bigEndian: buffer.loadUnaligned(fromByteOffset: 4, as: UInt32.self))),
            let length = srtp?.unprotectRTCP(buffer, length: buffer.count)
        else {
            statistics.unopenedDatagrams += 1
            return
        }
        if isPacing, !configuration.forwards, ice.silence(now: now) >= Peer.outage { forgetPictures(now) }
        ice.mediaArrived(now: now)
        let bytes = UnsafeRawBufferPointer(rebasing: buffer[..<length])
        guard let compound = try? RTCPCompound(parsing: bytes.bytes) else {
            statistics.malformedPackets += 1
            return
        }
        statistics.malformedPackets += compound.malformed
        for packet in compound.packets { handle(packet, arrival, now, outbox) }
    }

    private mutating func handle(_ packet: RTCPPacket, _ arrival: Instant, _ now: Instant, _ outbox: Outbox) {
        switch packet {
        case .senderReport(let report):
            handle(report, arrival, outbox)
            for block in report.reports { handle(block, arrival, outbox) }
        case .receiverReport(let report):
            for block in report.reports { handle(block, arrival, outbox) }
        case .nack(let nack): handle(nack, now, outbox)
        case .pli(let request):
            guard let index = sending.index(ssrc: request.mediaSSRC) else { return }
            sending.update(index) { $0.statistics.plisReceived += 1 }
            outbox.events.append(.keyFrameRequest(ssrc: request.mediaSSRC))
        case .fir(let request):
            for entry in request.entries { handle(entry, outbox) }
        case .bye(let goodbye):
            for ssrc in goodbye.sources { handleGoodbye(ssrc, outbox) }
        case .transportFeedback(let feedback): handle(feedback, now, outbox)
        case .remb(let estimate): handle(estimate, outbox)
        case .sdes, .xr, .unknown: break
        }
    }

    private mutating func handle(_ report: SenderReport, _ arrival: Instant, _ outbox: Outbox) {
        guard let index = receiving.index(ssrc: report.ssrc) else { return }
        receiving.update(index) { $0.note(report, arrival: arrival) }
        outbox.events.append(
            .senderReport(ssrc: report.ssrc, ntp: report.ntp, rtpTimestamp: report.rtpTimestamp, arrival: arrival))
    }

    private mutating func handle(_ block: ReportBlock, _ arrival: Instant, _ outbox: Outbox) {
        guard let index = sending.index(ssrc: block.ssrc) else { return }
        let trip = sending.update(index) { $0.noteReport(block, now: arrival) }
        if let trip { roundTrip.measure(trip) }
        let statistics = sending.streams[index].statistics
        outbox.events.append(
            .receiverReport(
                ssrc: block.ssrc, fractionLost: statistics.fractionLost, cumulativeLost: block.cumulativeLost,
                jitter: statistics.jitter, roundTripTime: statistics.roundTripTime))
    }

    private mutating func handle(_ nack: GenericNACK, _ now: Instant, _ outbox: Outbox) {
        guard let index = sending.index(ssrc: nack.mediaSSRC) else { return }
        sending.update(index) { $0.statistics.nacksReceived += 1 }
        if sending.streams[index].isExternal {
            outbox.events.append(.nack(ssrc: nack.mediaSSRC, nack.sequenceNumbers))
        } else {
            retransmit(nack.sequenceNumbers, stream: index, now, outbox)
        }
    }

    private mutating func handle(_ request: FullIntraRequest.Entry, _ outbox: Outbox) {
        guard let index = sending.index(ssrc: request.ssrc) else { return }
        let isNew = sending.update(index) { stream in
            stream.statistics.firsReceived += 1
            return stream.isNewFIR(request.sequenceNumber)
        }
        if isNew { outbox.events.append(.keyFrameRequest(ssrc: request.ssrc)) }
    }

    private mutating func handleGoodbye(_ ssrc: UInt32, _ outbox: Outbox) {
        guard let index = receiving.index(ssrc: ssrc), !receiving.streams[index].hasEnded else { return }
        receiving.end(index)
        outbox.events.append(.bye(ssrc: ssrc))
    }
}

// MARK: - What we ask for

extension Peer {
    /// Asks a producer for a key frame: at once the first time, then once per half second; a request in between waits
    /// for its end. By PLI, or by FIR where only that was negotiated.
    ///
    /// - Parameter interval: another one than the configuration's.
    package mutating func requestKeyFrame(
        ssrc: UInt32, interval: Interval? = nil, now: Instant, into outbox: Outbox
    ) {
        guard let index = receiving.index(ssrc: ssrc) else { return }
        askForKeyFrame(index, interval: interval, now, outbox)
    }

    /// A key frame came: a request that still waits for its turn is dropped.
    package mutating func keyFrameReceived(ssrc: UInt32) {
        guard let index = receiving.index(ssrc: ssrc) else { return }
        receiving.update(index) { $0.keyFrames.satisfy() }
    }

    /// Stops asking for packets below this unwrapped sequence number; a key frame has made them useless.
    package mutating func forgetLosses(ssrc: UInt32, before sequence: Int64) {
        guard let index = receiving.index(ssrc: ssrc) else { return }
        receiving.update(index) { $0.forgetLosses(before: sequence) }
    }

    mutating func askForKeyFrame(_ index: Int, interval: Interval? = nil, _ now: Instant, _ outbox: Outbox) {
        let codec = receiving.streams[index].codec
        guard mediaDestination != nil, codec.pli || codec.fir else { return }
        let interval = interval ?? configuration.streams.keyFrameRequestInterval
        if receiving.update(index, { $0.keyFrames.request(now: now, interval: interval) }) {
            sendKeyFrameRequest(index, now, outbox)
        }
    }

    /// Sends the requests that had to wait and are due.
    mutating func sendDueKeyFrameRequests(_ now: Instant, _ outbox: Outbox) {
        for index in receiving.streams.indices where receiving.streams[index].keyFrames.deadline <= now {
            if receiving.update(index, { $0.keyFrames.takeDue(now: now) }) { sendKeyFrameRequest(index, now, outbox) }
        }
    }

    private mutating func sendKeyFrameRequest(_ index: Int, _ now: Instant, _ outbox: Outbox) {
        let ssrc = receiving.streams[index].ssrc
        let request: RTCPPacket
        if receiving.streams[index].codec.pli {
            request = .pli(PictureLossIndication(senderSSRC: senderSSRC(towards: ssrc), mediaSSRC: ssrc))
            receiving.update(index) { $0.statistics.plisSent += 1 }
        } else {
            let number = receiving.update(index) { stream in
                stream.firSequence &+= 1
                stream.statistics.firsSent += 1
                return stream.firSequence
            }
            let entry = FullIntraRequest.Entry(ssrc: ssrc, sequenceNumber: number)
            request = .fir(FullIntraRequest(senderSSRC: senderSSRC(towards: ssrc), entries: [entry]))
        }
        sendFeedback(request, outbox)
    }

    /// Asks for the packets whose time has come, source by source.
    mutating func sendDueNACKs(_ now: Instant, _ outbox: Outbox) {
        guard mediaDestination != nil, receiving.hasLossDue(by: now) else { return }
        let limits = configuration.streams
        let initial = pathRoundTripTime.map { $0 * 1.25 } ?? limits.initialRoundTripTime
        // Round trips are measured once a second: what stands in a queue now has to be added.
        let queue = receiverEstimator.standingDelay(now: now)
        let interval = max(roundTrip.timeout(initial: initial) + (queue ?? .zero), limits.minimumNACKInterval)
        // What a full queue drops has been asked for: requests go the other way.
        let isMeasuredQueued = roundTrip.smoothed == nil ? ice.isSelectionQueued : roundTrip.isQueued
        let isQueued = queue != nil || isMeasuredQueued
        let leastAnswer = (roundTripTime ?? .zero) * 0.5
        for index in receiving.streams.indices where receiving.streams[index].losses.deadline <= now {
            // Behind a queue a repetition comes when its sound has been played, if it isn't dropped as the packet was; and it keeps
            // the queue full.
            if queue != nil, receiving.streams[index].isSound {
                receiving.update(index) { $0.giveUpLosses() }
                continue
            }
            var requests = lossScratch
            lossScratch = []
            requests.removeAll(keepingCapacity: true)
            receiving.update(index) {
                $0.collectLosses(
                    now: now, interval: interval, isEchoed: !isQueued, leastAnswer: leastAnswer, limits: limits,
                    into: &requests)
            }
            sendNACKs(requests[...], index, outbox)
            lossScratch = requests
        }
    }

    /// Asks for packets, with as many messages as it takes to name them all.
    private mutating func sendNACKs(_ requests: ArraySlice<UInt16>, _ index: Int, _ outbox: Outbox) {
        let ssrc = receiving.streams[index].ssrc
        let sender = senderSSRC(towards: ssrc)
        let room = feedbackRoom
        var rest = requests
        while !rest.isEmpty {
            let part = rest.prefix(GenericNACK.prefixLength(of: rest, limit: room))
            rest = rest.dropFirst(part.count)
            let nack = GenericNACK(senderSSRC: sender, mediaSSRC: ssrc, sequenceNumbers: Array(part))
            receiving.update(index) { $0.statistics.nacksSent += 1 }
            sendFeedback(.nack(nack), outbox)
        }
    }
}
