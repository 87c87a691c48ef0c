import Foundation
import LiveKitProtocol
import RTCWire
import RoomModel

extension RoomMessage {
    /// What other dialects hear of a packet: reliable ones of the application, with their topic; nil for all others.
    init?(_ packet: Livekit_DataPacket, from sender: RoomParticipant?) {
        guard case .user(let user) = packet.value, packet.kind == .reliable else { return nil }
        self.init(
            sender: sender?.permissions.isHidden == true ? nil : sender, topic: user.topic,
            payload: Array(user.payload))
    }

    /// The packet that LiveKit's clients get.
    var packet: Livekit_DataPacket {
        .with {
            $0.kind = .reliable
            $0.participantIdentity = sender?.identity ?? ""
            $0.participantSid = sender?.id ?? ""
            $0.user.participantIdentity = sender?.identity ?? ""
            $0.user.participantSid = sender?.id ?? ""
            $0.user.payload = Data(payload)
            if !topic.isEmpty { $0.user.topic = topic }
        }
    }
}

extension LiveKitParticipant {
    /// A channel that isn't open yet misses it.
    func receive(_ message: RoomMessage, now: Instant) {
        let packet = message.packet
        deliver(packet.wireBytes, packet, from: message.sender?.id ?? "")
    }
}
