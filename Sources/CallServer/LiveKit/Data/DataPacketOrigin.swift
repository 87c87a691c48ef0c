import LiveKitProtocol

/// What the server knows of a packet's sender, and puts in place of what the client says.
struct DataPacketOrigin {
    var sid: String
    var identity: String
    /// Others must not learn of the sender.
    var isHidden = false
    /// May speak in the name of another identity.
    var isAgent = false

    /// Rewrites a packet that came on the channel of that kind; nil where clients may not send such a packet to others.
    func stamp(_ packet: Livekit_DataPacket, kind: Livekit_DataPacket.Kind) -> Livekit_DataPacket? {
        var packet = packet
        packet.kind = kind
        packet.participantSid = isHidden ? "" : sid
        var keepsIdentity = false
        switch packet.value {
        case .user(var user):
            user.participantSid = isHidden ? "" : sid
            user.participantIdentity = isHidden ? "" : identity
            if packet.destinationIdentities.isEmpty {
                packet.destinationIdentities = user.destinationIdentities
            } else {
                user.destinationIdentities = packet.destinationIdentities
            }
            packet.user = user
        // Only agents write down what others say.
        case .transcription:
            guard isAgent else { return nil }
            keepsIdentity = !packet.participantIdentity.isEmpty
        case .chatMessage where speaksForAnother(packet):
            packet.chatMessage.generated = true
            keepsIdentity = true
        case .streamHeader(let header) where speaksForAnother(packet):
            guard case .textHeader = header.contentHeader else { break }
            packet.streamHeader.textHeader.generated = true
            keepsIdentity = true
        // Who speaks is the server's to say.
        case .speaker: return nil
        // Newer clients' contents pass; metrics are for the server alone.
        case nil: guard !packet.unknownFields.data.isEmpty, !hasMetrics(packet) else { return nil }
        default: break
        }
        if !keepsIdentity { packet.participantIdentity = isHidden ? "" : identity }
        return packet
    }

    /// What an agent says in the name of a participant.
    private func speaksForAnother(_ packet: Livekit_DataPacket) -> Bool {
        isAgent && !packet.participantIdentity.isEmpty && packet.participantIdentity != identity
    }

    /// Field 8 with a length.
    private func hasMetrics(_ packet: Livekit_DataPacket) -> Bool { packet.unknownFields.data.first == 8 << 3 | 2 }
}

extension Livekit_DataPacket {
    var destinations: DataDestinations {
        DataDestinations(identities: Set(destinationIdentities), sids: Set(user.destinationSids))
    }

    /// Whether it names no more recipients than a packet may.
    var isBounded: Bool {
        destinationIdentities.count + user.destinationIdentities.count + user.destinationSids.count
            <= RequestBounds.recipients
    }
}
