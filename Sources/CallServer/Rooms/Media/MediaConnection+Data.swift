import RTCCore
import RTCTransport
import RTCWire

/// A data channel of a connection, and what has passed on it.
struct OpenDataChannel {
    let id: DataChannelID
    let label: String
    var messagesReceived = 0
    var bytesReceived = 0
    var messagesSent = 0
    var bytesSent = 0
}

/// Data channels of a connection, addressed by their labels.
extension MediaConnection {
    /// Prepares a channel of ours; it opens with the connection. False where the connection can't have another.
    ///
    /// An offering connection says so in its next offer.
    @discardableResult
    func openDataChannel(_ configuration: DataChannelConfiguration) -> Bool {
        if role == .offering, !negotiator.lines.contains(where: { $0.kind == .application && !$0.isStopped }) {
            negotiator.addLine(kind: .application)
        }
        switch flow.openDataChannel(configuration) {
        case .success: return true
        case .failure(let error):
            logger.notice("no data channel", metadata: ["label": "\(configuration.label)", "reason": "\(error)"])
            return false
        }
    }

    /// Whether a channel of that label is open.
    func hasDataChannel(label: String) -> Bool { dataChannels.contains { $0.label == label } }

    /// Bytes that wait to be sent on a channel; 0 where it isn't open.
    func bufferedData(label: String) -> Int {
        dataChannels.first { $0.label == label }.map { flow.peer.bufferedAmount(of: $0.id) } ?? 0
    }

    /// Sends a message on the channel of that label, whichever side opened it; false where it isn't open or has no room.
    func sendData(_ bytes: [UInt8], label: String, isText: Bool = false) -> Bool {
        guard let index = dataChannels.firstIndex(where: { $0.label == label }) else { return false }
        // Counted before: sending may end the channel.
        dataChannels[index].messagesSent += 1
        dataChannels[index].bytesSent += bytes.count
        let id = dataChannels[index].id
        if case .failure(let error) = flow.sendMessage(bytes, isText: isText, on: id) {
            uncount(bytes.count, sentOn: id)
            logger.debug("message not sent", metadata: ["label": "\(label)", "reason": "\(error)"])
            return false
        }
        return true
    }

    private func uncount(_ bytes: Int, sentOn id: DataChannelID) {
        guard let index = dataChannels.firstIndex(where: { $0.id == id }) else { return }
        dataChannels[index].messagesSent -= 1
        dataChannels[index].bytesSent -= bytes
    }

    // MARK: What the peer says

    func dataChannelOpened(_ id: DataChannelID, _ configuration: DataChannelConfiguration, now: Instant) {
        logger.debug("data channel open", metadata: ["label": "\(configuration.label)"])
        dataChannels.append(OpenDataChannel(id: id, label: configuration.label))
        owner?.connection(self, opened: configuration.label, now: now)
    }

    func dataMessage(_ id: DataChannelID, _ bytes: [UInt8], now: Instant) {
        guard let index = dataChannels.firstIndex(where: { $0.id == id }) else { return }
        dataChannels[index].messagesReceived += 1
        dataChannels[index].bytesReceived += bytes.count
        owner?.connection(self, received: bytes, on: dataChannels[index].label, now: now)
    }

    func dataChannelClosed(_ id: DataChannelID) {
        guard let index = dataChannels.firstIndex(where: { $0.id == id }) else { return }
        let channel = dataChannels.remove(at: index)
        logger.debug(
            "data channel closed",
            metadata: [
                "label": "\(channel.label)", "received": "\(channel.messagesReceived)",
                "sent": "\(channel.messagesSent)",
            ])
    }
}

/// Owners that take no part in data channels.
extension MediaConnectionOwner {
    func connection(_ connection: MediaConnection, opened label: String, now: Instant) {}
    func connection(_ connection: MediaConnection, received bytes: [UInt8], on label: String, now: Instant) {}
}
