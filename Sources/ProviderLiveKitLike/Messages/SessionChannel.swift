import LiveKitProtocol
import MediaCore

/// The three data channels of a session.
enum SessionChannel: String, Sendable, Hashable, CaseIterable {
    /// Ordered and reliable.
    case reliable = "_reliable"
    /// Unordered, never sent again.
    case lossy = "_lossy"
    /// Packets of data tracks; as lossy as the one above.
    case dataTrack = "_data_track"

    /// From this protocol on both sides open the channels of a single connection by agreement, without announcing them.
    static let negotiatedProtocol: Int32 = 18

    /// The stream that both sides agree on.
    private var negotiatedID: Int {
        switch self {
        case .reliable: 100
        case .lossy: 101
        case .dataTrack: 102
        }
    }

    func options(isNegotiated: Bool) -> DataChannelOptions {
        DataChannelOptions(
            label: rawValue, isOrdered: self == .reliable, maximumRetransmissions: self == .reliable ? nil : 0,
            negotiatedID: isNegotiated ? negotiatedID : nil)
    }
}
