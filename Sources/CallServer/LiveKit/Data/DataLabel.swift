import RTCCore

/// The data channels that LiveKit's clients know by their labels.
enum DataLabel: String, CaseIterable {
    /// Ordered; every message arrives.
    case reliable = "_reliable"
    /// Unordered; nothing is sent again.
    case lossy = "_lossy"
    /// Packets of data tracks, which this server does not forward; the channel is accepted so that clients find it.
    case dataTrack = "_data_track"

    /// As the server opens it on a subscriber's connection.
    var configuration: DataChannelConfiguration {
        DataChannelConfiguration(
            label: rawValue, isOrdered: self == .reliable,
            reliability: self == .reliable ? .reliable : .maximumRetransmissions(0))
    }
}
