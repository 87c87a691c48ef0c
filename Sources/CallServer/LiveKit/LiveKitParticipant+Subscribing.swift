import LiveKitProtocol
import SFUCore

extension LiveKitParticipant {
    /// Has a track sent to this client.
    func subscribe(to track: LiveKitTrack) {
        guard let producer = track.producer, subscriber.send(track: track.sid) == nil else { return }
        subscriber.add(
            OutgoingTrack(
                trackID: track.sid, streamID: "\(track.publisher)|\(track.sid)", cname: track.publisher,
                producer: producer, codecName: track.codecName))
        negotiate()
    }

    func unsubscribe(from track: String) {
        if subscriber.removeSend(track: track) { negotiate() }
    }
}
