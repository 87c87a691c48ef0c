import RTCCore
import RTCTransport
import RTCWire

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
        guard let channel = dataChannels.first(where: { $0.label == label }) else { return false }
        if case .failure(let error) = flow.sendMessage(bytes, isText: isText, on: channel.id) {
            logger.debug("message not sent", metadata: ["label": "\(label)", "reason": "\(error)"])
            return false
        }
        return true
    }

    // MARK: What the peer says

    func dataChannelOpened(_ id: DataChannelID, _ configuration: DataChannelConfiguration) {
        logger.debug("data channel open", metadata: ["label": "\(configuration.label)"])
        dataChannels.append((id, configuration.label))
        owner?.connection(self, opened: configuration.label)
    }

    func dataMessage(_ id: DataChannelID, _ bytes: [UInt8]) {
        guard let channel = dataChannels.first(where: { $0.id == id }) else { return }
        owner?.connection(self, received: bytes, on: channel.label)
    }

    func dataChannelClosed(_ id: DataChannelID) { dataChannels.removeAll { $0.id == id } }
}

/// Owners that take no part in data channels.
extension MediaConnectionOwner {
    func connection(_ connection: MediaConnection, opened label: String) {}
    func connection(_ connection: MediaConnection, received bytes: [UInt8], on label: String) {}
}
