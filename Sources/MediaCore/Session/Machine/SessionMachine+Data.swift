import RTCCore
import RTCWire

/// Data channels.
extension SessionMachine {
    package mutating func openDataChannel(
        _ configuration: DataChannelConfiguration, now: Instant, into out: SessionOutbox
    ) throws -> DataChannelID {
        do throws(DataChannelError) {
            let id = try peer.openDataChannel(configuration, now: now, into: out.network)
            addDataSection()
            takeEvents(nil, now: now, into: out)
            return id
        } catch {
            throw SessionError("data channel \(configuration.label): \(error)")
        }
    }

    /// All channels share one section.
    package mutating func addDataSection() {
        guard !negotiator.lines.contains(where: { $0.kind == .application && !$0.isStopped }) else { return }
        negotiator.addLine(kind: .application)
    }

    /// - Parameter label: what errors call the channel.
    package mutating func sendMessage(
        _ bytes: [UInt8], isText: Bool, on id: DataChannelID, label: String, now: Instant, into out: SessionOutbox
    ) throws {
        do throws(DataChannelError) {
            try peer.sendMessage(bytes, isText: isText, on: id, now: now, into: out.network)
        } catch {
            throw SessionError("data channel \(label): \(error)")
        }
        takeEvents(nil, now: now, into: out)
    }

    package mutating func closeDataChannel(_ id: DataChannelID, now: Instant, into out: SessionOutbox) {
        peer.closeDataChannel(id, now: now, into: out.network)
        takeEvents(nil, now: now, into: out)
    }
}
