import RTCCore
import RTCWire

/// Data channels of a flow's peer; on the flow's event loop.
extension PeerFlow {
    /// Prepares a channel; it opens with the association.
    package func openDataChannel(
        _ configuration: DataChannelConfiguration
    ) -> Result<DataChannelID, DataChannelError> {
        var result: Result<DataChannelID, DataChannelError> = .failure(.closed)
        perform { peer, outbox, now in
            do throws(DataChannelError) {
                result = .success(try peer.openDataChannel(configuration, now: now, into: outbox))
            } catch {
                result = .failure(error)
            }
        }
        return result
    }

    /// Hands a message in.
    package func sendMessage(
        _ bytes: [UInt8], isText: Bool, on channel: DataChannelID
    ) -> Result<Void, DataChannelError> {
        var result: Result<Void, DataChannelError> = .failure(.closed)
        perform { peer, outbox, now in
            do throws(DataChannelError) {
                try peer.sendMessage(bytes, isText: isText, on: channel, now: now, into: outbox)
                result = .success(())
            } catch {
                result = .failure(error)
            }
        }
        return result
    }
}
