import LiveKitProtocol
import RTCWire
import RoomModel
import SFUCore

/// Forwards what participants send one another over data channels.
extension LiveKitRoom {
    /// Takes a packet that a participant has sent.
    func take(
        _ packet: Livekit_DataPacket, from sender: LiveKitParticipant, kind: Livekit_DataPacket.Kind, now: Instant
    ) {
        guard let record = sender.record, record.permissions.canPublishData else {
            return sender.logger.debug("data packet dropped: the participant may not publish data")
        }
        guard kind == .lossy || data.admit(packet.sequence, from: sender.id) else { return }
        if takeAnswer(packet, from: sender) { return }
        let origin = DataPacketOrigin(
            sid: sender.id, identity: sender.identity, isHidden: record.permissions.isHidden,
            isAgent: dialect.isAgent(record))
        guard let stamped = origin.stamp(packet, kind: kind), !data.isRepeated(nonce: Array(stamped.user.nonce)) else {
            return
        }
        forward(stamped, from: sender, now)
    }

    private func forward(_ packet: Livekit_DataPacket, from sender: LiveKitParticipant, _ now: Instant) {
        let bytes = packet.wireBytes
        let destinations = packet.destinations
        let recipients = participants.filter {
            $0 !== sender && destinations.include(identity: $0.identity, sid: $0.id)
        }
        let message = RoomMessage(packet, from: sender.record)
        let others = message == nil ? [] : members(ofOtherDialects: destinations)
        guard sender.maySend(bytes: bytes.count, to: recipients.count + others.count, now: now) else { return }
        if let message { for member in others { member.receive(message, now: now) } }
        if packet.kind == .reliable, packet.sequence > 0 {
            data.cache.keep(bytes, from: sender.id, sequence: packet.sequence, to: destinations, now: now)
        }
        for participant in recipients { participant.deliver(bytes, packet, from: sender.id) }
    }

    /// Those whom a packet is for and who get it as a message.
    func members(ofOtherDialects destinations: DataDestinations) -> [any RoomMember] {
        room.members.values.filter { member in
            guard !(member is LiveKitParticipant), let record = room.machine.participant(member.id) else {
                return false
            }
            return destinations.include(identity: record.identity, sid: record.id)
        }
    }

    /// Bytes on a channel with a label of the application's own go to everybody who has such a channel.
    func passOn(_ bytes: [UInt8], label: String, from sender: LiveKitParticipant, now: Instant) {
        guard sender.record?.permissions.canPublishData == true,
            sender.maySend(bytes: bytes.count, to: room.members.count - 1, now: now)
        else { return }
        for participant in participants where participant !== sender {
            participant.deliverUnlabeled(bytes, label: label)
        }
    }

    // MARK: Repeating

    /// The channel of a participant has opened: what came since it joined follows.
    func replayMissed(to participant: LiveKitParticipant, now: Instant) {
        for (publisher, sequence) in data.takeMissed(by: participant.id) {
            replay(from: publisher, after: sequence &- 1, to: participant, now)
        }
    }

    /// A participant has come back, and has these as the last ones of each publisher.
    func replay(_ states: [Livekit_DataChannelReceiveState], to participant: LiveKitParticipant, now: Instant) {
        var last: [String: UInt32] = [:]
        for state in states.prefix(RequestBounds.tracks) where room.members[state.publisherSid] != nil {
            last[state.publisherSid] = state.lastSeq
        }
        for (publisher, sequence) in last { replay(from: publisher, after: sequence, to: participant, now) }
    }

    private func replay(
        from publisher: String, after sequence: UInt32, to participant: LiveKitParticipant, _ now: Instant
    ) {
        guard publisher != participant.id else { return }
        for entry in data.cache.packets(from: publisher, after: sequence, now: now)
        where entry.destinations.include(identity: participant.identity, sid: participant.id) {
            _ = participant.subscriber.sendData(entry.bytes, label: DataLabel.reliable.rawValue)
        }
    }
}
