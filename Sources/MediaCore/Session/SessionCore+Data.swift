import RTCCore
import RTCWire

/// Data channels: what the peer says of them, and what the application wants.
extension SessionCore {
    func openDataChannel(_ options: DataChannelOptions) throws -> DataChannel {
        guard let flow else { throw SessionError("data channel \(options.label): the session is closed") }
        let configuration = try options.configuration()
        let result = flow.openDataChannel(configuration)
        let id: DataChannelID
        do { id = try result.get() } catch { throw SessionError("data channel \(options.label): \(error)") }
        addDataSection()
        return dataChannel(id, configuration)
    }

    /// All channels share one section.
    func addDataSection() {
        guard !negotiator.lines.contains(where: { $0.kind == .application && !$0.isStopped }) else { return }
        negotiator.addLine(kind: .application)
    }

    func sendMessage(_ bytes: [UInt8], isText: Bool, on id: DataChannelID) throws {
        let label = dataChannels[id]?.label ?? ""
        guard let flow else { throw SessionError("data channel \(label): the session is closed") }
        do { try flow.sendMessage(bytes, isText: isText, on: id).get() } catch {
            throw SessionError("data channel \(label): \(error)")
        }
    }

    func bufferedAmount(of id: DataChannelID) -> Int { flow?.peer.bufferedAmount(of: id) ?? 0 }

    var maximumMessageSize: Int { flow?.peer.maximumMessageSize ?? 0 }

    func closeDataChannel(_ id: DataChannelID) {
        flow?.perform { peer, outbox, now in peer.closeDataChannel(id, now: now, into: outbox) }
    }

    // MARK: What the peer says

    func dataChannelOpened(_ id: DataChannelID, _ configuration: DataChannelConfiguration) {
        emit(.dataChannelOpened(dataChannel(id, configuration)))
    }

    func dataMessage(_ id: DataChannelID, _ bytes: [UInt8], isText: Bool) {
        guard let channel = dataChannels[id] else { return }
        emit(.dataChannelMessage(channel, bytes, isText: isText))
    }

    func dataChannelClosed(_ id: DataChannelID) {
        guard let channel = dataChannels.removeValue(forKey: id) else { return }
        emit(.dataChannelClosed(channel))
    }

    private func dataChannel(_ id: DataChannelID, _ configuration: DataChannelConfiguration) -> DataChannel {
        if let known = dataChannels[id] { return known }
        let channel = DataChannel(id: id, configuration: configuration, core: self)
        dataChannels[id] = channel
        return channel
    }
}
