import LiveKitProtocol
import RTCWire
import SFUCore

extension LiveKitParticipant {
    /// Has a track sent to this client.
    func subscribe(to track: LiveKitTrack) {
        guard let producer = track.producer, let format = track.format, subscriber.send(track: track.sid) == nil else {
            return
        }
        let outgoing = OutgoingTrack(
            trackID: track.sid, streamID: streamID(of: track), cname: track.publisher, producer: producer,
            kind: track.kind, format: format, media: room.media)
        outgoing.playoutDelay = room.settings.playoutDelay.map {
            PlayoutDelay(minimum: UInt16(clamping: $0.lowerBound / 10), maximum: UInt16(clamping: $0.upperBound / 10))
        }
        outgoing.injectionTrailer = Array(room.injectionTrailer.utf8)
        subscriber.add(outgoing)
        negotiate()
    }

    /// Browsers play the tracks of one stream in step; clients that know it find the track by its own id then.
    private func streamID(of track: LiveKitTrack) -> String {
        let name = track.info.stream.utf8
        // The publisher has chosen the name, and descriptions take only some.
        let isUsable = !name.isEmpty && name.count <= 64 && name.allSatisfy { (0x21...0x7b).contains($0) }
        let sharesStream = room.settings.syncsStreams && ticket.client.protocol > 9 && isUsable
        return "\(track.publisher)|\(sharesStream ? track.info.stream : track.sid)"
    }

    /// - Parameter fills: see `MediaConnection.removeSend`.
    func unsubscribe(from track: String, fills: Bool = true) {
        if subscriber.removeSend(track: track, fills: fills) { negotiate() }
    }

    func connectionFreedLine(_ connection: MediaConnection) { negotiate() }
}
