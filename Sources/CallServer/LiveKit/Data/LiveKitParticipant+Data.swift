import LiveKitProtocol
import RTCWire

/// Data channels of a participant: with one connection those that the client opens carry both directions; with two it
/// sends on its own and receives on ours.
extension LiveKitParticipant {
    /// How much may wait on the lossy channel; what comes then is dropped, being stale when it would arrive.
    private static let lossyBacklog = 64 * 1024

    /// How much may wait on the reliable channel. Whoever reads so slowly is not to fill our memory, nor to hold up those who
    /// send: like LiveKit's server we go on without what then comes.
    private static let reliableBacklog = 2 << 20

    /// The channels on which the client receives; with one connection the client opens them.
    func openDataChannels() {
        guard !isSingleConnection else { return }
        for label in DataLabel.allCases { subscriber.openDataChannel(label.configuration) }
    }

    func connection(_ connection: MediaConnection, opened label: String, now: Instant) {
        guard connection === subscriber, label == DataLabel.reliable.rawValue else { return }
        liveKit.replayMissed(to: self, now: now)
    }

    func connection(_ connection: MediaConnection, received bytes: [UInt8], on label: String, now: Instant) {
        guard connection === publisher else { return }
        switch DataLabel(rawValue: label) {
        case .reliable: take(bytes, .reliable, now)
        case .lossy: take(bytes, .lossy, now)
        case .dataTrack: break
        case nil: liveKit.passOn(bytes, label: label, from: self, now: now)
        }
    }

    private func take(_ bytes: [UInt8], _ kind: Livekit_DataPacket.Kind, _ now: Instant) {
        guard let packet = try? Livekit_DataPacket(wireBytes: bytes), packet.isBounded else {
            return logger.notice("unreadable data packet dropped", metadata: ["bytes": "\(bytes.count)"])
        }
        liveKit.take(packet, from: self, kind: kind, now: now)
    }

    /// Sends another participant's packet on. A reliable one that finds the channel not open yet is repeated when it is;
    /// one that finds the channel full is dropped for this participant alone.
    func deliver(_ bytes: [UInt8], _ packet: Livekit_DataPacket, from sender: String) {
        guard packet.kind == .reliable else {
            guard subscriber.bufferedData(label: DataLabel.lossy.rawValue) < Self.lossyBacklog else { return }
            _ = subscriber.sendData(bytes, label: DataLabel.lossy.rawValue)
            return
        }
        guard subscriber.hasDataChannel(label: DataLabel.reliable.rawValue) else {
            return liveKit.data.noteMissed(packet.sequence, from: sender, by: id)
        }
        guard subscriber.bufferedData(label: DataLabel.reliable.rawValue) + bytes.count <= Self.reliableBacklog,
            subscriber.sendData(bytes, label: DataLabel.reliable.rawValue)
        else { return noteDropped(from: sender) }
    }

    /// Whether a message of that many bytes may go to so many: one participant's data must not take all of the loop's time.
    func maySend(bytes: Int, to recipients: Int, now: Instant) -> Bool {
        if dataAllowance.take(bytes: bytes, recipients: recipients, now: now) { return true }
        if countDropped() {
            logger.notice(
                "data dropped: the participant sends too much", metadata: ["dropped": "\(dataAllowance.dropped)"])
        }
        return false
    }

    private func countDropped() -> Bool {
        room.loop.droppedData += 1
        return dataAllowance.countDropped()
    }

    private func noteDropped(from sender: String) {
        guard countDropped() else { return }
        logger.notice(
            "reliable data dropped: the participant reads too slowly",
            metadata: ["from": "\(sender)", "dropped": "\(dataAllowance.dropped)"])
    }

    /// On the channel of that label, or else on the first that has no label of LiveKit's.
    func deliverUnlabeled(_ bytes: [UInt8], label: String) {
        for connection in connections {
            let own = connection.dataChannels.map(\.label).filter { DataLabel(rawValue: $0) == nil }
            guard let target = own.first(where: { $0 == label }) ?? own.first else { continue }
            _ = connection.sendData(bytes, label: target)
            return
        }
    }
}
