/// What one data channel has counted.
package struct DataChannelStatistics: Sendable, Hashable {
    /// W3C's `RTCDataChannelState`; a closed channel is not told of.
    package enum State: String, Sendable, Hashable {
        case connecting, open, closing
    }

    package var id: DataChannelID
    package var label: String
    package var protocolName: String
    package var state: State
    /// Of the association; nil before it stands.
    package var stream: UInt16?
    package var counted: DataChannelCounters
}

/// Messages of the application, and their bytes.
package struct DataChannelCounters: Sendable, Hashable {
    package var messagesSent = 0
    package var bytesSent = 0
    package var messagesReceived = 0
    package var bytesReceived = 0

    mutating func count(sent bytes: Int) {
        messagesSent += 1
        bytesSent += bytes
    }

    mutating func count(received bytes: Int) {
        messagesReceived += 1
        bytesReceived += bytes
    }
}

extension DataChannelTransport {
    /// The channels that there are, in the order of their opening.
    package var statistics: [DataChannelStatistics] {
        channels.sorted { $0.key < $1.key }.map { id, channel in
            DataChannelStatistics(
                id: DataChannelID(rawValue: id), label: channel.configuration.label,
                protocolName: channel.configuration.protocolName, state: channel.state.told, stream: channel.stream,
                counted: channel.counted)
        }
    }
}

extension DataChannelTransport.Channel.State {
    fileprivate var told: DataChannelStatistics.State {
        switch self {
        case .waiting: .connecting
        case .open: .open
        case .closing: .closing
        }
    }
}
