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

/// A track that the server is to take.
struct PendingPublication: Sendable {
    /// Who wants it.
    enum Origin: Sendable {
        case command(CommandID)
        /// The server has ended it, and allows it again.
        case again(Publication)
        /// A full reconnect; by the bridge's id.
        case renewal(trackID: String)
    }

    enum Step: Sendable, Hashable {
        /// For the connection.
        case waiting
        /// The server answers until then.
        case asked(until: MediaTime)
        /// The media connection is to send it.
        case adding
    }

    let media: LocalTrack
    let source: Track.Source
    let origin: Origin
    var step = Step.waiting

    /// When the server's word has to be there.
    var deadline: MediaTime? { if case .asked(let until) = step { until } else { nil } }
}
