import CallBridge
import MediaCore
import RTCCore
import RTCWire

/// One participant of a simulated call: both ends of the connection, what they publish, and what they are told.
final class FakeMember {
    let id: String
    let identity: String
    let room: String
    let subscribesAutomatically: Bool
    /// What they send is encrypted end to end.
    let isEncrypted: Bool
    let client: FakeClient
    let connection: FakeConnection
    let queue: FakeEventQueue
    /// In the order of publication.
    var tracks: [FakeTrack] = []
    /// The network is gone: neither media nor signalling comes through.
    var isCut = false
    var isGone = false
    /// Signalling that waits for the network.
    var held: [() -> Void] = []
    var isReconnecting = false
    /// An offer is on its way, or its answer; `again`: there is something new to be offered.
    var negotiation = (isOpen: false, again: false)

    init(
        id: String, identity: String, room: String, subscribesAutomatically: Bool, isEncrypted: Bool,
        client: FakeClient, connection: FakeConnection, news: FakeNews
    ) {
        self.id = id
        self.identity = identity
        self.room = room
        self.subscribesAutomatically = subscribesAutomatically
        self.isEncrypted = isEncrypted
        self.client = client
        self.connection = connection
        queue = FakeEventQueue(news)
    }

    func participant(isLocal: Bool = false) -> Participant {
        Participant(id: id, identity: identity, isLocal: isLocal, tracks: tracks.map(\.info))
    }

    /// How loud the server hears them, linear, 0...1.
    func loudness(now: Instant) -> Double {
        tracks.compactMap { $0.source.map { connection.media.loudness(of: $0.producer, now: now) } }.max() ?? 0
    }
}
