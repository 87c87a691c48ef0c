import LiveKitProtocol
import RTCWire

/// Data packets that the room API sends. Call on the room's loop.
extension LiveKitRoom {
    func sendData(_ request: Livekit_SendDataRequest, now: Instant) throws(TwirpError) -> EmptyMessage {
        guard request.nonce.isEmpty || request.nonce.count == 16 else {
            throw TwirpError(
                .invalidArgument, "nonce should be 16-bytes or not present, got: \(request.nonce.count) bytes")
        }
        guard !data.isRepeated(nonce: Array(request.nonce)) else { return EmptyMessage() }
        let packet = Livekit_DataPacket.with {
            $0.kind = request.kind
            $0.destinationIdentities = request.destinationIdentities
            $0.user.payload = request.data
            $0.user.destinationSids = request.destinationSids
            $0.user.destinationIdentities = request.destinationIdentities
            $0.user.nonce = request.nonce
            if request.hasTopic { $0.user.topic = request.topic }
        }
        distribute(packet, to: request.destinationIdentities, request.destinationSids)
        if let message = RoomMessage(packet, from: nil) {
            let destinations = DataDestinations(
                identities: Set(request.destinationIdentities), sids: Set(request.destinationSids))
            for member in members(ofOtherDialects: destinations) { member.receive(message, now: now) }
        }
        return EmptyMessage()
    }

    /// Sends a packet that comes from no participant to those named, or to everybody where nobody is.
    ///
    /// - Returns: how many took it; those whose data channel is not open don't.
    @discardableResult
    func distribute(_ packet: Livekit_DataPacket, to identities: [String], _ sids: [String] = []) -> Int {
        let destinations = DataDestinations(identities: Set(identities), sids: Set(sids))
        let recipients = participants.filter { destinations.include(identity: $0.identity, sid: $0.id) }
        return recipients.count { $0.deliver(packet) }
    }
}

extension LiveKitParticipant {
    /// Sends a packet of the server's on the client's data channel of the packet's kind; false where none is open.
    func deliver(_ packet: Livekit_DataPacket) -> Bool {
        subscriber.sendData(packet.wireBytes, label: (packet.kind == .lossy ? DataLabel.lossy : .reliable).rawValue)
    }
}
