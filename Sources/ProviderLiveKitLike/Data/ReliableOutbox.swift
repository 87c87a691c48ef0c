import LiveKitProtocol

/// Numbers our reliable packets and keeps the latest, for a server that has not got them when a session is resumed.
/// A value.
struct ReliableOutbox {
    /// How much is kept, in bytes: what may wait in the channel, and what may be on its way.
    static let capacity = 4 * 1024 * 1024

    private var next: UInt32 = 1
    private var kept: [(sequence: UInt32, bytes: [UInt8])] = []
    private var byteCount = 0

    /// Gives a packet its number; returns its wire form, which is kept.
    mutating func number(_ packet: Livekit_DataPacket) -> [UInt8] {
        var packet = packet
        packet.sequence = next
        let bytes = packet.wireBytes
        kept.append((next, bytes))
        next &+= 1
        byteCount += bytes.count
        while byteCount > Self.capacity, kept.count > 1 { byteCount -= kept.removeFirst().bytes.count }
        return bytes
    }

    /// What the server, which has everything up to `sequence`, is to get again.
    func packets(after sequence: UInt32) -> [[UInt8]] { kept.filter { $0.sequence > sequence }.map(\.bytes) }
}

/// The last reliable packet of every sender. A value.
struct ReliableInbox {
    private var last: [String: UInt32] = [:]

    /// Whether a packet is new. Those without number or sender always are.
    mutating func admit(_ sequence: UInt32, from sender: String) -> Bool {
        guard sequence > 0, !sender.isEmpty else { return true }
        guard sequence > last[sender] ?? 0 else { return false }
        last[sender] = sequence
        return true
    }

    /// What a resumed session's server is told.
    var receiveStates: [Livekit_DataChannelReceiveState] {
        last.sorted { $0.key < $1.key }.map { sender, sequence in
            .with {
                $0.publisherSid = sender
                $0.lastSeq = sequence
            }
        }
    }
}
