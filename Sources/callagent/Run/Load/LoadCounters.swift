import LoadCore
import LoadResults
import MediaCore

extension DeliveryLedger.Counts {
    mutating func add(_ other: Self) {
        expected += other.expected
        received += other.received
        duplicates += other.duplicates
        packets += other.packets
        bytes += other.bytes
        layerSwitches += other.layerSwitches
        unstamped += other.unstamped
        misdelivered += other.misdelivered
    }
}

extension DataCounters {
    mutating func add(_ messages: DeliveryLedger.Counts) {
        messagesExpected += messages.expected
        messagesReceived += messages.received
        messagesLost += messages.missing
        messagesDuplicated += messages.duplicates
    }
}

extension InboundCounters {
    /// What came by ground truth. Pictures come in several packets: of one that is missing they are taken to be as many as
    /// those of the others on average.
    mutating func add(_ counts: DeliveryLedger.Counts, isVideo: Bool) {
        let frames = counts.received + counts.duplicates + counts.unstamped + counts.misdelivered
        let perFrame = frames > 0 ? max(1, Double(counts.packets) / Double(frames)) : 1
        let lost = isVideo ? Int((Double(counts.missing) * perFrame).rounded()) : counts.missing
        let duplicated = isVideo ? Int((Double(counts.duplicates) * perFrame).rounded()) : counts.duplicates
        packetsReceived += counts.packets - duplicated
        packetsLost += lost
        packetsExpected += counts.packets - duplicated + lost
        packetsDuplicated += duplicated
        bytesReceived += counts.bytes
        framesReceived += counts.received + counts.unstamped
        framesDropped += counts.missing
    }

    /// What the connection knows besides.
    mutating func add(_ receiver: ReceiverStatistics) {
        retransmittedPacketsReceived += receiver.packetsRecovered
        framesDecoded += receiver.framesDecoded
        freezeCount += receiver.freezes
        totalFreezesDuration += receiver.frozenMilliseconds / 1000
        nackCount += receiver.nacksSent
        pliCount += receiver.keyFrameRequestsSent
    }
}

extension OutboundCounters {
    mutating func add(_ sender: SenderStatistics) {
        packetsSent += sender.packetsSent
        bytesSent += sender.bytesSent
        retransmittedPacketsSent += sender.packetsRetransmitted
        framesSent += sender.layers.isEmpty ? sender.framesSent : sender.layers.reduce(0) { $0 + $1.framesSent }
        keyFramesSent += sender.layers.reduce(0) { $0 + $1.keyFramesSent }
        pliCount += sender.keyFrameRequests
    }
}

extension MediaCounters {
    /// Of two readings of what media connections count, what the later one has more.
    func since(_ earlier: MediaCounters) -> MediaCounters {
        var result = self
        result.outbound.packetsSent -= earlier.outbound.packetsSent
        result.outbound.bytesSent -= earlier.outbound.bytesSent
        result.outbound.retransmittedPacketsSent -= earlier.outbound.retransmittedPacketsSent
        result.outbound.framesSent -= earlier.outbound.framesSent
        result.outbound.keyFramesSent -= earlier.outbound.keyFramesSent
        result.outbound.pliCount -= earlier.outbound.pliCount
        result.inbound.retransmittedPacketsReceived -= earlier.inbound.retransmittedPacketsReceived
        result.inbound.framesDecoded -= earlier.inbound.framesDecoded
        result.inbound.freezeCount -= earlier.inbound.freezeCount
        result.inbound.totalFreezesDuration -= earlier.inbound.totalFreezesDuration
        result.inbound.nackCount -= earlier.inbound.nackCount
        result.inbound.pliCount -= earlier.inbound.pliCount
        return result
    }
}
