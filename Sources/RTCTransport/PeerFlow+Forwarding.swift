import RTCCore

extension PeerFlow {
    /// Sends a packet whose numbers are set; see `Peer.forward`.
    ///
    /// - Parameters:
    ///   - prefix: what goes before `payload`.
    /// - Returns: false where it doesn't leave: not connected, closed, of an unknown source, or too large.
    package func forward(
        _ packet: OutgoingRTP, _ prefix: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer
    ) -> Bool { mux.forward(packet, prefix, payload, through: self) }
}
