import RTCWire

extension Peer {
    /// Who we are in RTCP: our first stream, or a number drawn for the purpose.
    var reportingSSRC: UInt32 { sending.streams.first?.ssrc ?? feedbackSSRC }

    /// Who we are in what we say to the owner of a source.
    func senderSSRC(towards source: UInt32) -> UInt32 {
        configuration.rtcp.sender == .reportedSource ? source : reportingSSRC
    }

    /// Notes that there is something to report on, after a packet has come.
    mutating func scheduleReports(_ now: Instant) {
        guard nextReport == .distantFuture else { return }
        let interval = configuration.streams.reportInterval
        nextReport = now + (configuration.rtcp.receiverReports == .perSource ? interval : interval / 2)
    }

    /// Sends what the other side is told once a second: sender reports of the streams we number ourselves, and receiver
    /// reports.
    mutating func sendDueReports(_ now: Instant, _ outbox: Outbox) {
        guard nextReport <= now else { return }
        nextReport = .distantFuture
        guard mediaDestination != nil else { return }
        if configuration.rtcp.receiverReports == .perSource { reportEachSource(now, outbox) }
        var blocks = configuration.rtcp.receiverReports == .perSource ? [] : receiving.takeReports(now: now)
        var composer = ReportComposer(limit: configuration.maximumDatagram - rtcpOverhead)
        for index in sending.streams.indices {
            guard let report = senderReport(index, now, &blocks) else { continue }
            add(.senderReport(report), ssrc: report.ssrc, cname: cname(index), to: &composer, outbox)
        }
        while !blocks.isEmpty {
            let report = ReceiverReport(ssrc: reportingSSRC, reports: ReportComposer.take(&blocks))
            add(.receiverReport(report), ssrc: report.ssrc, cname: cname(0), to: &composer, outbox)
        }
        sendCompound(composer.finish(), outbox)
        if !receiving.streams.isEmpty || !sending.streams.isEmpty {
            nextReport = now + configuration.streams.reportInterval
        }
    }

    /// Sends one receiver report per source, each a packet of its own.
    private mutating func reportEachSource(_ now: Instant, _ outbox: Outbox) {
        for block in receiving.takeReports(now: now, patience: Peer.reportedSilence) {
            let report = ReceiverReport(ssrc: senderSSRC(towards: block.ssrc), reports: [block])
            sendFeedback(.receiverReport(report), outbox)
        }
    }

    /// A muted source is reported on for so long; one that has left without a word is not for ever.
    private static let reportedSilence = Interval.seconds(30)

    /// Sends sender reports of streams whose clocks are the caller's, in as few compounds as hold them.
    package mutating func sendSenderReports(_ reports: [ForwardedReport], now: Instant, into outbox: Outbox) {
        guard mediaDestination != nil else { return }
        var composer = ReportComposer(limit: configuration.maximumDatagram - rtcpOverhead)
        for report in reports {
            guard let index = sending.index(ssrc: report.ssrc) else { continue }
            let written = makeReport(index, ntp: report.ntp, rtpTimestamp: report.rtpTimestamp, blocks: [], now)
            let mid = sending.streams[index].configuration.mid.map { "\($0)" }
            let full = composer.add(.senderReport(written), ssrc: report.ssrc, cname: cname(index), mid: mid)
            if let full { sendCompound(full, outbox) }
        }
        sendCompound(composer.finish(), outbox)
    }

    /// Says that these streams end.
    mutating func sendGoodbye(_ streams: [SendStream], _ now: Instant, _ outbox: Outbox) {
        guard configuration.rtcp.sendsGoodbye, let first = streams.first else { return }
        for start in stride(from: 0, to: streams.count, by: 31) {
            let sources = streams[start..<min(start + 31, streams.count)].map(\.ssrc)
            let name = first.configuration.cname ?? configuration.cname
            sendCompound(
                [
                    .receiverReport(ReceiverReport(ssrc: first.ssrc)),
                    .sdes(SourceDescription(ssrc: first.ssrc, cname: name)), .bye(Goodbye(sources: sources)),
                ], outbox)
        }
    }

    /// Sends one feedback packet, alone where reduced size was negotiated.
    mutating func sendFeedback(_ packet: RTCPPacket, _ outbox: Outbox) {
        guard !configuration.reducedSizeRTCP else { return sendCompound([packet], outbox) }
        let ssrc = reportingSSRC
        sendCompound(
            [
                .receiverReport(ReceiverReport(ssrc: ssrc)), .sdes(SourceDescription(ssrc: ssrc, cname: cname(0))),
                packet,
            ], outbox)
    }

    /// The largest feedback packet that `sendFeedback` has room for, in bytes.
    var feedbackRoom: Int {
        let room = configuration.maximumDatagram - rtcpOverhead
        guard !configuration.reducedSizeRTCP else { return room }
        let ssrc = reportingSSRC
        return room - ReceiverReport(ssrc: ssrc).encodedLength
            - SourceDescription(ssrc: ssrc, cname: cname(0)).encodedLength
    }

    private var rtcpOverhead: Int { srtpProfile?.rtcpOverhead ?? 20 }

    private func cname(_ index: Int) -> String {
        guard sending.streams.indices.contains(index) else { return configuration.cname }
        return sending.streams[index].configuration.cname ?? configuration.cname
    }

    /// The report of a stream that sent lately; takes the first report blocks along.
    private mutating func senderReport(_ index: Int, _ now: Instant, _ blocks: inout [ReportBlock]) -> SenderReport? {
        let stream = sending.streams[index]
        guard configuration.rtcp.writesSenderReports, !stream.isExternal, let last = stream.lastSent,
            now - last < .seconds(5),
            let timestamp = stream.timestamp(at: now)
        else { return nil }
        return makeReport(
            index, ntp: clock.timestamp(now), rtpTimestamp: timestamp, blocks: ReportComposer.take(&blocks), now)
    }

    private mutating func makeReport(
        _ index: Int, ntp: UInt64, rtpTimestamp: UInt32, blocks: [ReportBlock], _ now: Instant
    ) -> SenderReport {
        sending.update(index) { stream in
            stream.recordReport(ntp: ntp, now: now)
            return SenderReport(
                ssrc: stream.ssrc, ntp: ntp, rtpTimestamp: rtpTimestamp,
                packetCount: UInt32(truncatingIfNeeded: stream.statistics.packets), octetCount: stream.octets,
                reports: blocks)
        }
    }

    private mutating func add(
        _ packet: RTCPPacket, ssrc: UInt32, cname: String, to composer: inout ReportComposer, _ outbox: Outbox
    ) {
        if let full = composer.add(packet, ssrc: ssrc, cname: cname) { sendCompound(full, outbox) }
    }

    /// Writes, seals and sends packets as one datagram.
    private mutating func sendCompound(_ packets: [RTCPPacket], _ outbox: Outbox) {
        guard !packets.isEmpty, let destination = mediaDestination else { return }
        let target = outbox.reserve(configuration.maximumDatagram)
        let room = UnsafeMutableRawBufferPointer(rebasing: target[..<configuration.maximumDatagram])
        let length = RTCPCompound.write(packets, into: room)
        guard length > 0, length + rtcpOverhead <= configuration.maximumDatagram,
            let sealed = srtp?.protectRTCP(target, length: length)
        else { return }
        commit(sealed, to: destination, outbox)
    }
}
