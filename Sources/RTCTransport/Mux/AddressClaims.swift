import RTCWire

/// Addresses that one flow has and another one may have taken over: behind a NAT an address changes hands.
///
/// A few are kept, the oldest give way: honest claims are settled within a round trip.
struct AddressClaims {
    private struct Claim {
        var address: TransportAddress
        weak var flow: PeerFlow?
    }

    private static let limit = 32
    private var claims: [Claim] = []

    var isEmpty: Bool { claims.isEmpty }

    func claimant(of address: TransportAddress) -> PeerFlow? { claims.first { $0.address == address }?.flow }

    /// The newest claim to an address counts.
    mutating func add(_ address: TransportAddress, _ flow: PeerFlow) {
        remove(address)
        if claims.count >= AddressClaims.limit { claims.removeFirst() }
        claims.append(Claim(address: address, flow: flow))
    }

    mutating func remove(_ address: TransportAddress) { claims.removeAll { $0.address == address } }

    mutating func remove(_ flow: PeerFlow) { claims.removeAll { $0.flow === flow || $0.flow == nil } }
}
