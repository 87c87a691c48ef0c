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

extension LiveKitSession {
    /// Opens our channels on the connection that we offer on: announced in-band, or by agreement where one connection
    /// does everything and the server is new enough.
    func openDataChannels(_ server: Livekit_ServerInfo) async {
        let isNegotiated = isSingle && server.protocol >= SessionChannel.negotiatedProtocol
        let media = publisher.media
        channels = [:]
        data.beginAnew()
        for kind in SessionChannel.allCases {
            do {
                channels[kind] = try await media.openDataChannel(kind.options(isNegotiated: isNegotiated))
            } catch {
                logger.warning("no data channel", metadata: ["label": "\(kind.rawValue)", "reason": "\(error)"])
            }
        }
    }

    /// What a resumed session's server is told of the channels.
    var channelInfos: [Livekit_DataChannelInfo] {
        SessionChannel.allCases.compactMap { kind in
            guard channels[kind] != nil else { return nil }
            return .with {
                $0.label = kind.rawValue
                $0.target = .publisher
            }
        }
    }
}
