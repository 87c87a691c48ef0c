import RTCWire

/// Which flow a datagram is for.
enum DatagramRoute {
    case unknown
    /// Its source address is the flow's.
    case bound(PeerFlow)
    /// Nobody has its source address; a check names the flow, or it answers one of the flow's.
    case named(PeerFlow)
    /// A check names a flow, and its source address is the other one's.
    case claim(PeerFlow, of: PeerFlow)
    /// A response from an address that the first flow has claimed and the second one has.
    case claimed(PeerFlow, of: PeerFlow)
}

/// Finds the flow of a datagram: by its remote address, or by the ICE user name fragment of a first STUN check (RFC 8445
/// section 7.3). Not copyable: it is asked for each datagram, and a copy would count references each time.
struct FlowRouter: ~Copyable {
    /// A peer's own candidates and those learnt from its checks.
    private static let addressesPerFlow = 96
    /// So many of the latest flows are asked whether a response from an unknown address is theirs.
    private static let latest = 32

    private(set) var flows: [PeerFlow] = []
    /// Those that datagrams come from.
    private(set) var addresses: AddressTable
    private var byUfrag: [String: PeerFlow] = [:]
    /// Addresses of one flow from which checks for another have come; see `UDPMux.received(claimed:)`.
    private var claims = AddressClaims()
    private let isExclusive: Bool
    private let maximumFlows: Int

    init(isIPv4: Bool, _ configuration: UDPMuxConfiguration) {
        addresses = AddressTable(isIPv4: isIPv4)
        isExclusive = configuration.isExclusive
        maximumFlows = configuration.maximumFlows
    }

    // MARK: Flows

    /// Whether one more flow, by that name, can be had.
    func takes(_ ufrag: String) -> Bool { flows.count < maximumFlows && byUfrag[ufrag] == nil }

    mutating func add(_ flow: PeerFlow, _ ufrag: String) {
        byUfrag[ufrag] = flow
        flow.ufrags = [ufrag]
        flows.append(flow)
    }

    /// Makes datagrams find a flow by another name too. The one before stays, those before that are forgotten.
    mutating func rename(_ flow: PeerFlow, _ ufrag: String) {
        guard byUfrag[ufrag] == nil else { return }
        byUfrag[ufrag] = flow
        flow.ufrags.append(ufrag)
        if flow.ufrags.count > 2 { byUfrag[flow.ufrags.removeFirst()] = nil }
    }

    mutating func remove(_ flow: PeerFlow) {
        flows.removeAll { $0 === flow }
        addresses.remove(flow)
        for ufrag in flow.ufrags { byUfrag[ufrag] = nil }
        claims.remove(flow)
    }

    // MARK: Datagrams

    /// Which flow a datagram is for, by its source address and, for STUN, by the user name in it.
    func route(_ bytes: UnsafeRawBufferPointer, from source: TransportAddress) -> DatagramRoute {
        if isExclusive { return flows.first.map { .bound($0) } ?? .unknown }
        let entry = addresses.find(source)
        guard entry >= 0, let owner = addresses.entries[entry].flow else {
            if STUNUsername.isResponse(bytes) { return awaiting(bytes).map { .named($0) } ?? .unknown }
            return STUNUsername.localFragment(bytes).flatMap { byUfrag[$0] }.map { .named($0) } ?? .unknown
        }
        guard bytes.count >= 20, bytes[0] < 4 else { return .bound(owner) }
        // A check may name another peer: the address can have changed hands, or somebody repeats what that one has sent.
        if let ufrag = STUNUsername.localFragment(bytes), let named = byUfrag[ufrag], named !== owner {
            return .claim(named, of: owner)
        }
        if !claims.isEmpty, STUNUsername.isResponse(bytes), let claimant = claims.claimant(of: source) {
            return .claimed(claimant, of: owner)
        }
        return .bound(owner)
    }

    /// The flow that has asked for a response which is ahead of its sender's first check: who asks as soon as it can has its
    /// answer before the other side knows whom to ask. Of those that nothing has come for yet.
    private func awaiting(_ response: UnsafeRawBufferPointer) -> PeerFlow? {
        let transaction = STUNUsername.transactionID(response)
        return flows.suffix(FlowRouter.latest).last {
            $0.boundAddresses == 0 && !$0.isClosed && $0.peer.awaitsResponse(to: transaction)
        }
    }

    /// Remembers that datagrams from `source` are for `flow`. One flow keeps so many addresses; those that its peer no
    /// longer believes in give way.
    mutating func bind(_ source: TransportAddress, to flow: PeerFlow) {
        if addresses.count(of: flow) >= FlowRouter.addressesPerFlow {
            addresses.remove { $0.flow === flow && !flow.peer.trusts($0.address) }
            guard addresses.count(of: flow) < FlowRouter.addressesPerFlow else { return }
        }
        addresses.insert(source, flow: flow)
    }

    /// Forgets an address, and gives the flow that had it.
    mutating func unbind(_ address: TransportAddress) -> PeerFlow? {
        if isExclusive { return flows.first }
        let entry = addresses.find(address)
        guard entry >= 0 else { return nil }
        let flow = addresses.entries[entry].flow
        addresses.remove { $0.address == address }
        return flow
    }

    /// The socket is another one.
    mutating func forgetAddresses(isIPv4: Bool) {
        addresses.remove { _ in true }
        addresses = AddressTable(isIPv4: isIPv4)
    }

    /// A check for `flow` has come from an address that another one has.
    mutating func claim(_ source: TransportAddress, for flow: PeerFlow) { claims.add(source, flow) }

    /// The claimant has proved that the address is its own.
    mutating func settle(_ source: TransportAddress, for claimant: PeerFlow) {
        claims.remove(source)
        bind(source, to: claimant)
    }
}
