import RTCWire

extension Peer {
    /// Whether an authenticated connectivity check has come from `address`, or gone there and back: only then may a
    /// demultiplexer remember that datagrams from there belong to this peer.
    package func trusts(_ address: TransportAddress) -> Bool {
        ice.trusts(address)
    }

    /// Whether a connectivity check of that transaction is under way.
    package func awaitsResponse(to transaction: STUNTransactionID) -> Bool {
        ice.awaitsResponse(to: transaction)
    }
}
