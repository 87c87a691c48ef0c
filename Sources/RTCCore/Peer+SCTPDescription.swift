import RTCWire

extension Peer {
    /// Takes over what the negotiated lines say of data channels; without a live application line nothing changes.
    package mutating func setSCTP(_ lines: [MediaLine]) {
        guard let line = lines.first(where: { $0.kind == .application && $0.direction.sends }), let remote = line.remote
        else { return }
        let size = remote.maxMessageSize.map { Int(clamping: $0) } ?? SCTPConfiguration.defaultMaximumMessageSize
        setSCTP(remotePort: remote.sctpPort ?? SCTPConfiguration.localPort, maximumMessageSize: size)
    }
}
