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
            trackID: track.sid, streamID: "\(track.publisher)|\(track.sid)", cname: track.publisher, producer: producer,
            format: format)
        outgoing.playoutDelay = room.settings.playoutDelay.map {
            PlayoutDelay(minimum: UInt16(clamping: $0.lowerBound / 10), maximum: UInt16(clamping: $0.upperBound / 10))
        }
        subscriber.add(outgoing)
        negotiate()
    }

    func unsubscribe(from track: String) {
        if subscriber.removeSend(track: track) { negotiate() }
    }
}
