import CallBridge
import MediaCore
import SFUCore

/// A published track as the simulated server has it, and who wants it.
final class FakeTrack {
    var info: Track
    let local: LocalTrack
    let sender: MediaSession.Sender
    /// What the room forwards; nil before the server has answered for it.
    var source: (producer: ProducerID, format: TrackFormat)?
    /// Ids of the participants that are to be sent it.
    var subscribers: Set<String> = []

    init(_ info: Track, _ local: LocalTrack, _ sender: MediaSession.Sender) {
        self.info = info
        self.local = local
        self.sender = sender
    }
}
