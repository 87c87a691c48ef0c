import RTCWire

/// Where a consumer's time line stood when its source changed.
struct TimestampAlignment {
    /// The latest timestamp that was sent on, when its packet came, and how the old source's were shifted.
    var lastTimestamp: UInt32
    var lastArrival: Instant
    var oldOffset: UInt32
    var clockRate: UInt32

    /// The shift of a new source that begins with `packet`: by the sender's clock where both sources have reported it, by
    /// the time that has passed otherwise. The time line never goes back.
    func offset(
        of packet: borrowing SourcePacket, from old: SenderClock?, to new: SenderClock?, isSameSource: Bool
    ) -> UInt32 {
        let elapsed = min(max((packet.arrival - lastArrival).seconds, 0), 3600)
        let byArrival = lastTimestamp &+ UInt32(max(1, (elapsed * Double(clockRate)).rounded()))
        if isSameSource, isPlausible(packet.timestamp &+ oldOffset, byArrival) { return oldOffset }
        guard let old, let new,
            let same = old.timestamp(at: new.ntp(at: packet.timestamp, clockRate: clockRate), clockRate: clockRate)
        else { return byArrival &- packet.timestamp }
        let bySender = same &+ oldOffset
        return (isPlausible(bySender, byArrival) ? bySender : byArrival) &- packet.timestamp
    }

    private func isPlausible(_ timestamp: UInt32, _ byArrival: UInt32) -> Bool {
        timestamp.distance(after: lastTimestamp) > 0
            && abs(timestamp.distance(after: byArrival)) < Int(clockRate) * 2
    }
}
