/// What was sent and received of one kind of media: in one second, or in a whole run. Names and meanings are those of W3C's
/// webrtc-stats where it has them (outbound-rtp, inbound-rtp).
package struct MediaCounters: Codable, Sendable, Equatable {
    package var outbound = OutboundCounters()
    package var inbound = InboundCounters()

    package init() {}

    package mutating func add(_ other: MediaCounters) {
        outbound.add(other.outbound)
        inbound.add(other.inbound)
    }

    package static func + (left: MediaCounters, right: MediaCounters) -> MediaCounters {
        var sum = left
        sum.add(right)
        return sum
    }
}

/// What publishers sent.
package struct OutboundCounters: Codable, Sendable, Equatable {
    package var packetsSent = 0
    /// RTP payload bytes.
    package var bytesSent = 0
    package var retransmittedPacketsSent = 0
    package var framesSent = 0
    package var keyFramesSent = 0
    /// Requests that came: NACK, PLI and FIR messages.
    package var nackCount = 0
    package var pliCount = 0
    package var firCount = 0

    package init() {}

    package mutating func add(_ other: OutboundCounters) {
        packetsSent = packetsSent.saturatingAdd(other.packetsSent)
        bytesSent = bytesSent.saturatingAdd(other.bytesSent)
        retransmittedPacketsSent = retransmittedPacketsSent.saturatingAdd(other.retransmittedPacketsSent)
        framesSent = framesSent.saturatingAdd(other.framesSent)
        keyFramesSent = keyFramesSent.saturatingAdd(other.keyFramesSent)
        nackCount = nackCount.saturatingAdd(other.nackCount)
        pliCount = pliCount.saturatingAdd(other.pliCount)
        firCount = firCount.saturatingAdd(other.firCount)
    }
}

/// What subscribers received, all their streams together.
package struct InboundCounters: Codable, Sendable, Equatable {
    /// What was sent to them, by ground truth in the media: each publisher's packets, once for each of its subscribers.
    package var packetsExpected = 0
    package var packetsReceived = 0
    /// RTP payload bytes.
    package var bytesReceived = 0
    /// Expected, and neither received nor repaired by a retransmission.
    package var packetsLost = 0
    package var packetsDuplicated = 0
    package var retransmittedPacketsReceived = 0
    package var framesReceived = 0
    /// Of sampled subscribers, which decode.
    package var framesDecoded = 0
    /// Frames that could not be assembled or decoded.
    package var framesDropped = 0
    package var freezeCount = 0
    /// Seconds of those.
    package var totalFreezesDuration = 0.0
    /// Seconds of media that were due, all subscriptions together: what freezes are a share of.
    package var totalDuration = 0.0
    /// Requests that were sent: NACK and PLI messages.
    package var nackCount = 0
    package var pliCount = 0

    package init() {}

    package mutating func add(_ other: InboundCounters) {
        packetsExpected = packetsExpected.saturatingAdd(other.packetsExpected)
        packetsReceived = packetsReceived.saturatingAdd(other.packetsReceived)
        bytesReceived = bytesReceived.saturatingAdd(other.bytesReceived)
        packetsLost = packetsLost.saturatingAdd(other.packetsLost)
        packetsDuplicated = packetsDuplicated.saturatingAdd(other.packetsDuplicated)
        retransmittedPacketsReceived = retransmittedPacketsReceived.saturatingAdd(other.retransmittedPacketsReceived)
        framesReceived = framesReceived.saturatingAdd(other.framesReceived)
        framesDecoded = framesDecoded.saturatingAdd(other.framesDecoded)
        framesDropped = framesDropped.saturatingAdd(other.framesDropped)
        freezeCount = freezeCount.saturatingAdd(other.freezeCount)
        totalFreezesDuration += other.totalFreezesDuration
        totalDuration += other.totalDuration
        nackCount = nackCount.saturatingAdd(other.nackCount)
        pliCount = pliCount.saturatingAdd(other.pliCount)
    }

    /// The share of what was expected that is lost, 0 to 1; nil where nothing was expected.
    package var lossRatio: Double? { packetsExpected > 0 ? Double(packetsLost) / Double(packetsExpected) : nil }

    /// The share of the time in which pictures stood still, 0 to 1; nil where none were due.
    package var freezeRatio: Double? { totalDuration > 0 ? totalFreezesDuration / totalDuration : nil }
}
