import CallBridge
import LiveKitProtocol
import MediaCore

/// A track that we publish. It keeps its id towards the bridge when a full reconnect gives it another on the server.
struct Publication: Sendable {
    /// As the bridge knows it.
    var track: Track
    let media: LocalTrack
    let source: Track.Source
    /// As the server knows it now.
    var info: Livekit_TrackInfo
    /// The media connection has it.
    var isSent = false
    /// Its layers, the largest first; one for a track without layers.
    var layers: [SimulcastLayer]

    /// The id on the server.
    var sid: String { info.sid }
}
