import RTCWire

/// One RTP stream of a producer: its only one, or one of a simulcast.
package final class ProducerLayer {
    package let ssrc: UInt32
    /// The RTP stream id of a simulcast layer (RFC 8852).
    package let rid: ShortToken?
    /// Orders the layers of a producer, the smallest picture first.
    package let rank: Int
    var ring: PacketRing?
    var clock: SenderClock?
    private(set) var lastArrival: Instant
    package private(set) var packets = 0
    package private(set) var bytes = 0

    init(ssrc: UInt32, rid: ShortToken?, rank: Int, now: Instant) {
        self.ssrc = ssrc
        self.rid = rid
        self.rank = rank
        lastArrival = now
    }

    func count(_ packet: SourcePacket) {
        lastArrival = packet.arrival
        packets += 1
        bytes += packet.payload.count
    }

    /// Packets have come lately. A sender that lacks bandwidth stops its larger layers without a word.
    package func isAlive(_ now: Instant) -> Bool { now - lastArrival < ProducerLayer.silence }

    /// Layers are sent at several frames a second, where at all.
    private static let silence = Interval.milliseconds(500)
}
